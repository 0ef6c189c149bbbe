// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/sql/key_kind.h"
#include "ports/sql/port.h"

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

/// The key of a lock as PostgreSQL lists it: one number, or two with a comma. nullopt: it is neither.
std::optional<NamedKey> listedKey(const QByteArray& name);

} // namespace lockscope::sql
