// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "background.h"
#include "server_record.h"

namespace lockscope::torture {

/// Reads what memcached's logger says (`watch fetchers mutations connevents`): who stored what, by connection.
///
/// It does not say that an item was deleted. A delete looks for its item first, which is said like any look; so when an
/// item is gone before it can have ended, whoever looked for it last and did nothing visible with it has deleted it.
/// That is certain of clients that only add, delete, and compare and set: none of ours looks at others' items. An item
/// can end up to one second before its time, since the server's clock ticks once a second: until then nothing is said.
std::vector<ServerRecord> readMemcachedLog(const QByteArrayList& parts, const Background& background);

} // namespace lockscope::torture
