// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/lock_error.h"

#include <lockscope/lock_exception.h>

namespace lockscope {

/// The public name of a kind of error.
constexpr ErrorKind kindOf(LockError::Kind kind) {
    return static_cast<ErrorKind>(kind);
}
static_assert(kindOf(LockError::Kind::NotOwner) == ErrorKind::NotOwner &&
              kindOf(LockError::Kind::Unreachable) == ErrorKind::Unreachable &&
              kindOf(LockError::Kind::OutcomeUnknown) == ErrorKind::OutcomeUnknown &&
              kindOf(LockError::Kind::ForeignFormat) == ErrorKind::ForeignFormat &&
              kindOf(LockError::Kind::Refused) == ErrorKind::Refused &&
              kindOf(LockError::Kind::NotSupported) == ErrorKind::NotSupported &&
              kindOf(LockError::Kind::Deadlock) == ErrorKind::Deadlock &&
              kindOf(LockError::Kind::WaitExceeded) == ErrorKind::WaitExceeded &&
              kindOf(LockError::Kind::NotPrepared) == ErrorKind::NotPrepared &&
              kindOf(LockError::Kind::Interrupted) == ErrorKind::Interrupted &&
              kindOf(LockError::Kind::InvalidArgument) == ErrorKind::InvalidArgument);

/// Throws the exception that corresponds to the error's kind.
[[noreturn]] void throwLockError(const LockError& error);

} // namespace lockscope
