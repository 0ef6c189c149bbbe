// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/lock_error.h"

#include <stdexcept>

namespace lockscope {

/// The one family of exceptions that lockscope::blocking throws: a LockError, told apart by type. what() is its
/// sentence, in UTF-8. `catch (const LockException&)` catches interrupted waits and wrong URLs, too.
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
/// A URL, a manager's configuration or a condition's argument makes no sense. Not a std::invalid_argument as well: with
/// two bases that are a std::exception, `catch (const std::exception&)` would catch neither.
using InvalidArgumentException = LockExceptionOf<LockError::Kind::InvalidArgument>;

/// A wait was ended by its std::stop_token, or because its client was closed. Nothing is held because of it.
class InterruptedException final : public LockException {
public:
    InterruptedException();
};

/// Throws the exception that corresponds to the error's kind.
[[noreturn]] void throwLockError(const LockError& error);

} // namespace lockscope
