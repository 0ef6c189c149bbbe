// SPDX-License-Identifier: Apache-2.0
#include "lock/lock_exception.h"

#include <QCoreApplication>

namespace lockscope {

InterruptedException::InterruptedException()
    : LockException({LockError::Kind::Interrupted,
                     QCoreApplication::translate("LockError", "The wait for a lock was interrupted.")}) {
}

void throwLockError(const LockError& error) {
    switch (error.kind) {
    case LockError::Kind::NotOwner:
        throw NotOwnerException(error);
    case LockError::Kind::Unreachable:
        throw UnreachableException(error);
    case LockError::Kind::OutcomeUnknown:
        throw OutcomeUnknownException(error);
    case LockError::Kind::ForeignFormat:
        throw ForeignFormatException(error);
    case LockError::Kind::Refused:
        throw RefusedException(error);
    case LockError::Kind::NotSupported:
        throw NotSupportedException(error);
    case LockError::Kind::Deadlock:
        throw DeadlockException(error);
    case LockError::Kind::WaitExceeded:
        throw WaitExceededException(error);
    case LockError::Kind::NotPrepared:
        throw NotPreparedException(error);
    case LockError::Kind::Interrupted:
        throw InterruptedException();
    case LockError::Kind::InvalidArgument:
        throw InvalidArgumentException(error);
    }
    throw LockException(error);
}

} // namespace lockscope
