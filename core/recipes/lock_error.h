// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QString>

namespace lockscope {

/// Why a lock operation failed. Kinds differ where a caller can react differently.
struct LockError {
    enum class Kind : std::uint8_t {
        NotOwner,        ///< the hold to release or renew is not, or no longer, the caller's
        Unreachable,     ///< the server could not be asked; nothing was changed
        OutcomeUnknown,  ///< sent but not answered: it may have happened; the message says until when that matters
        ForeignFormat,   ///< the key holds data of another library or type: left unchanged
        Refused,         ///< the server answered with an error
        NotSupported,    ///< the recipe cannot do this
        Deadlock,        ///< the server ended this request to resolve a deadlock; nothing was changed
        WaitExceeded,    ///< the server's own wait limit was reached (InnoDB's lock wait time-out); nothing was changed
        NotPrepared,     ///< a table or the like is missing on the server: Connection::prepare() creates it
        Interrupted,     ///< a stop request or the closing of the client ended the wait; the call took no hold
        InvalidArgument, ///< a URL, a configuration or an argument is invalid; no server was asked
    };
    Kind kind = Kind::Refused;
    QString message; ///< one sentence for the user; never a password
};

/// The stable English identifier of a kind ("outcome-unknown"), as traces keep it: equal in every language.
QByteArray lockErrorId(LockError::Kind kind);

} // namespace lockscope
