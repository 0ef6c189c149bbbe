// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "background.h"
#include "server_record.h"

namespace lockscope::torture {

/// Reads what a watch over all locks of an etcd saw, in the order of its revisions. A place is a key.
///
/// etcd does not say who deleted a key, and not whether its lease ended. Its owner is who was granted the lock with the
/// key's revision as token. The owner freed it, if it had let go by the time at which the deletion was seen. Else its
/// lease ended, unless the same lease shows signs of life at a later revision: then somebody else has deleted the key.
/// Places of those who only wait are not judged: nobody could say whether they had given up.
std::vector<ServerRecord> readEtcdHistory(const QByteArrayList& parts, const Background& background);

} // namespace lockscope::torture
