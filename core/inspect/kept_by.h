// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QByteArray>

namespace lockscope::inspect {

/// The thing that keeps a hold that has no lease and no end of its own.
enum class KeptBy : std::uint8_t {
    NotTold,     ///< the format does not say
    Session,     ///< the holder's session with the server: it ends with that at the latest
    Transaction, ///< the holder's transaction: it ends with its commit or rollback
    Either,      ///< one or the other: the server tells no difference (PostgreSQL's advisory locks)
};
/// By the format of a lock, as watchers name it. Only of holds that are told neither a TTL nor that they never expire:
/// a lock of these formats that lies there for good says so itself.
KeptBy keptBy(const QByteArray& format);

/// The thing that ends with a hold which is ended from outside.
enum class EndsWith : std::uint8_t {
    Nothing,     ///< the hold alone
    Transaction, ///< its holder's transaction: nothing else gives it back
    Session,     ///< its holder's session with a database, with all that it holds there
};
/// By the format of a lock, as watchers name it.
EndsWith endsWith(const QByteArray& format);

} // namespace lockscope::inspect
