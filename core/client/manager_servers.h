// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "lock/manager/manager_config.h"
#include "recipes/lock_error.h"

namespace lockscope {

/// All servers of a configuration, those that only keep the record included.
std::vector<ConnectionUrl> serversOf(const ManagerConfig& config);
/// The error of a start that took longer than that.
LockError startedTooLate(Nanos patience);

} // namespace lockscope
