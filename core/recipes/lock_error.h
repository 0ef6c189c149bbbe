// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QString>

namespace lockscope {

/// Why a lock operation failed, told apart because a caller can act on it.
struct LockError {
    enum class Kind : std::uint8_t {
        NotOwner,       ///< released or renewed what is not, or no longer, ours
        Unreachable,    ///< the server could not be asked; nothing was changed
        OutcomeUnknown, ///< asked, no answer: it may have happened; see the message for until when that matters
        ForeignFormat,  ///< the key carries another library's or another type's data: left alone
        Refused,        ///< the server answered with an error
        NotSupported,   ///< the recipe cannot do this
        Deadlock,       ///< the server ended this request to end a deadlock; nothing was changed
        WaitExceeded, ///< the server's own limit on waiting ended it (InnoDB's lock wait time-out); nothing was changed
        NotPrepared,  ///< what the recipe needs on the server is missing (a table): Connection::prepare() makes it
        Interrupted,  ///< a stop request ended the wait, or its client was closed; nothing is held because of it
        InvalidArgument, ///< a URL or a manager's configuration makes no sense; no server was asked
    };
    Kind kind = Kind::Refused;
    QString message; ///< one sentence for people; never a password
};

/// The stable English identifier of a kind ("outcome-unknown"): what traces keep, so that they are equal in every
/// language.
QByteArray lockErrorId(LockError::Kind kind);

} // namespace lockscope
