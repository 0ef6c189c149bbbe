// SPDX-License-Identifier: Apache-2.0
#include "lock/lock_exception.h"

#include "trace/text.h"

#include <QCoreApplication>

namespace lockscope {

namespace {
/// Names may contain zero bytes, where what() would end, and line breaks.
std::string shown(const std::string& message) {
    return trace::readableSentence(QByteArray::fromStdString(message)).toStdString();
}
} // namespace

LockException::LockException(ErrorKind kind, const std::string& message)
    : std::runtime_error(shown(message)), m_kind(kind) {
}

InterruptedException::InterruptedException()
    : LockException(ErrorKind::Interrupted,
                    QCoreApplication::translate("LockError", "The wait was interrupted.").toStdString()) {
}

void throwLockError(const LockError& error) {
    const std::string message = error.message.toStdString();
    switch (error.kind) {
    case LockError::Kind::NotOwner:
        throw NotOwnerException(message);
    case LockError::Kind::Unreachable:
        throw UnreachableException(message);
    case LockError::Kind::OutcomeUnknown:
        throw OutcomeUnknownException(message);
    case LockError::Kind::ForeignFormat:
        throw ForeignFormatException(message);
    case LockError::Kind::Refused:
        throw RefusedException(message);
    case LockError::Kind::NotSupported:
        throw NotSupportedException(message);
    case LockError::Kind::Deadlock:
        throw DeadlockException(message);
    case LockError::Kind::WaitExceeded:
        throw WaitExceededException(message);
    case LockError::Kind::NotPrepared:
        throw NotPreparedException(message);
    case LockError::Kind::Interrupted:
        throw InterruptedException();
    case LockError::Kind::InvalidArgument:
        throw InvalidArgumentException(message);
    }
    throw LockException(kindOf(error.kind), message);
}

} // namespace lockscope
