// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/redis/key_job.h"

namespace lockscope::inspect {

/// Keys that a row of this one needs besides, with their types.
std::vector<WantedKey> wantedWith(const KeySnapshot& key);
/// Whether a key that was read may be a lock's; most hashes are not.
bool mayBelongToLock(const KeySnapshot& key);

} // namespace lockscope::inspect
