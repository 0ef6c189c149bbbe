// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/lock_error.h"

#include <stdexcept>

namespace lockscope {

/// The exceptions of lockscope::blocking: a LockError, one type per kind, all in this family. what() is its message, in
/// UTF-8. `catch (const LockException&)` also catches interrupted waits and malformed URLs.
class LockException : public std::runtime_error {
public:
    explicit LockException(const LockError& error)
        : std::runtime_error(QString(error.message).replace(QChar(0), QChar(0x2400)).toStdString()),
          m_kind(error.kind) {} // names may contain zero bytes, where what() would end
    /// Which kind of error; see LockError::Kind.
    LockError::Kind kind() const { return m_kind; }

private:
    LockError::Kind m_kind;
};

template <LockError::Kind>
class LockExceptionOf final : public LockException {
public:
    using LockException::LockException;
};

/// Each kind of LockError as a type; see LockError::Kind.
using NotOwnerException = LockExceptionOf<LockError::Kind::NotOwner>;
using UnreachableException = LockExceptionOf<LockError::Kind::Unreachable>;
using OutcomeUnknownException = LockExceptionOf<LockError::Kind::OutcomeUnknown>;
using ForeignFormatException = LockExceptionOf<LockError::Kind::ForeignFormat>;
using RefusedException = LockExceptionOf<LockError::Kind::Refused>;
using NotSupportedException = LockExceptionOf<LockError::Kind::NotSupported>;
using DeadlockException = LockExceptionOf<LockError::Kind::Deadlock>;
using WaitExceededException = LockExceptionOf<LockError::Kind::WaitExceeded>;
using NotPreparedException = LockExceptionOf<LockError::Kind::NotPrepared>;
/// A URL, a manager's configuration or a condition's argument is invalid. Not derived from std::invalid_argument too:
/// with two std::exception bases, `catch (const std::exception&)` would not catch it.
using InvalidArgumentException = LockExceptionOf<LockError::Kind::InvalidArgument>;

/// A stop token or the closing of the client ended a wait. The call took no hold.
class InterruptedException final : public LockException {
public:
    InterruptedException();
};

/// Throws the exception that corresponds to the error's kind.
[[noreturn]] void throwLockError(const LockError& error);

} // namespace lockscope
