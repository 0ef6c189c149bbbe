// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "drivers/sql/statement.h"
#include "ports/sql/key_kind.h"

namespace lockscope::sql {

// PostgreSQL's advisory locks have keys of one 64-bit number, or of two 32-bit numbers. PostgreSQL keeps the two kinds
// apart: a lock on a key of one kind never conflicts with a lock on a key of the other. GET_LOCK of MySQL and MariaDB
// takes the name itself; its names hold for the whole server, not for one database.

/// PostgreSQL's key that a lock's name stands for. A number must be written as PostgreSQL prints it: without plus sign,
/// spaces or leading zeros. KeyKind::Usual hashes every other name, also "+5" and "007". KeyKind::Number and
/// KeyKind::TwoInt refuse it.
std::expected<NamedKey, Error> advisoryKeyOf(const QByteArray& name, KeyKind kind);

/// The key of a hashed name: the first 8 bytes of its SHA-256, in network byte order, as a signed number. In SQL:
/// `('x' || left(encode(sha256(convert_to('orders', 'UTF8')), 'hex'), 16))::bit(64)::bigint`.
std::int64_t hashedKey(const QByteArray& name);

// The statements about a named lock. Precondition: not Dialect::Sqlite.

/// `wait` as in Session::takeNamed(). See namedTaken() for the answer.
Statement takeNamed(Dialect dialect, const NamedKey& key, Sharing sharing, Nanos wait);
/// Whether the lock was had; nullopt: the server gave up by itself, because somebody ended the request.
std::optional<bool> namedTaken(Dialect dialect, Nanos wait, const Reply& reply);
/// → 1: given back.
Statement releaseNamed(Dialect dialect, const NamedKey& key, Sharing sharing);
/// All that the connection has.
Statement releaseAllNamed(Dialect dialect);
/// → the connections that hold it; MySQL: NULL when there is none.
Statement namedHolders(Dialect dialect, const NamedKey& key);
/// PostgreSQL: ends those connections. → done, connection.
Statement endNamedHolders(const NamedKey& key);
/// PostgreSQL: the same for one session, if it holds the lock.
Statement endNamedHolder(const NamedKey& key, std::int64_t session);
/// The key of a lock as PostgreSQL lists it: one number, or two with a comma. nullopt: it is neither.
std::optional<NamedKey> listedKey(const QByteArray& name);

} // namespace lockscope::sql
