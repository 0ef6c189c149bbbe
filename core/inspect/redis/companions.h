// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/redis/key_job.h"

namespace lockscope::inspect {

/// The type of a lock's helper key of this name, and of the lock itself if it is no helper's.
const char* typeOfCompanion(const QByteArray& key);
/// Keys that a row of this one needs besides, with their types.
std::vector<WantedKey> wantedWith(const KeySnapshot& key);
/// Whether a key that was read may be a lock's; most hashes are not.
bool mayBelongToLock(const KeySnapshot& key);

} // namespace lockscope::inspect
