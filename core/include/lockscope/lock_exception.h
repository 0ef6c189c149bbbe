// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <lockscope/detail/standard.h>

#include <cstdint>
#include <stdexcept>
#include <string>

namespace lockscope {

/// Why a lock operation failed. Kinds differ where a caller can react differently.
enum class ErrorKind : std::uint8_t {
    NotOwner,       ///< the hold to release or renew is not, or no longer, the caller's
    Unreachable,    ///< the server could not be asked; nothing was changed
    OutcomeUnknown, ///< sent but not answered: it may have happened; with a lease, the message says how long it matters
    ForeignFormat,  ///< the key holds data of another library or type: left unchanged
    Refused,        ///< the server, or this library, refused the request; the message says why
    NotSupported,   ///< the recipe cannot do this
    Deadlock,       ///< the server ended this request to resolve a deadlock; nothing was changed
    WaitExceeded,   ///< the server's own wait limit was reached (InnoDB's lock wait time-out); nothing was changed
    NotPrepared,    ///< a table or the like is missing on the server: Client::prepare() creates it
    Interrupted,    ///< a stop request or the closing of the client ended the wait; the call took no hold
    InvalidArgument, ///< a URL, a configuration or an argument is invalid; no server was asked
};

/// The exceptions of lockscope::blocking, one type per kind, all in this family. what() is one sentence for a person,
/// in UTF-8, in the language of the process; it never contains a password. `catch (const LockException&)` also catches
/// interrupted waits and malformed URLs.
class LockException : public std::runtime_error {
public:
    /// `message` is a sentence; a zero byte in it (names may contain one) is shown as a symbol.
    LockException(ErrorKind kind, const std::string& message);
    /// Which kind of error.
    ErrorKind kind() const { return m_kind; }

private:
    ErrorKind m_kind;
};

/// The exception of one kind.
template <ErrorKind Kind>
class LockExceptionOf final : public LockException {
public:
    explicit LockExceptionOf(const std::string& message) : LockException(Kind, message) {}
};

/// Each kind as a type; see ErrorKind.
using NotOwnerException = LockExceptionOf<ErrorKind::NotOwner>;
using UnreachableException = LockExceptionOf<ErrorKind::Unreachable>;
using OutcomeUnknownException = LockExceptionOf<ErrorKind::OutcomeUnknown>;
using ForeignFormatException = LockExceptionOf<ErrorKind::ForeignFormat>;
using RefusedException = LockExceptionOf<ErrorKind::Refused>;
using NotSupportedException = LockExceptionOf<ErrorKind::NotSupported>;
using DeadlockException = LockExceptionOf<ErrorKind::Deadlock>;
using WaitExceededException = LockExceptionOf<ErrorKind::WaitExceeded>;
using NotPreparedException = LockExceptionOf<ErrorKind::NotPrepared>;
/// A URL, a manager's configuration or a condition's argument is invalid. Not derived from std::invalid_argument too:
/// with two std::exception bases, `catch (const std::exception&)` would not catch it.
using InvalidArgumentException = LockExceptionOf<ErrorKind::InvalidArgument>;

/// A stop token or the closing of the client ended a wait. The call took no hold.
class InterruptedException final : public LockException {
public:
    InterruptedException();
};

} // namespace lockscope
