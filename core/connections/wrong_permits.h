// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/lock_error.h"

#include <optional>

namespace lockscope {

/// The error for a semaphore of fewer than one permit; nullopt: it has enough.
std::optional<LockError> wrongPermits(const QByteArray& name, int permits);

} // namespace lockscope
