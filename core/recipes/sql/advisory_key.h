// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/sql/key_kind.h"
#include "ports/sql/port.h"
#include "recipes/lock_error.h"

#include <expected>

namespace lockscope::recipes {

/// A key of PostgreSQL's advisory locks: one 64-bit number, or two 32-bit numbers. PostgreSQL keeps the two kinds
/// apart: a lock on a key of one kind never conflicts with a lock on a key of the other.
struct AdvisoryKey {
    std::int64_t number = 0; ///< for two numbers: the first in the high 32 bits, the second in the low ones
    bool two = false;        ///< the key is two 32-bit numbers

    /// The argument list of pg_advisory_lock() and its siblings, with a question mark for each of values().
    QByteArray arguments() const;
    sql::Values values() const;
    /// The WHERE clause that selects the rows of pg_locks for this key; heldValues() are for its question marks.
    static QByteArray heldRows();
    sql::Values heldValues() const;
};

/// The key that a lock's name stands for. A number must be written as PostgreSQL prints it: without plus sign, spaces
/// or leading zeros. KeyKind::Usual hashes every other name, also "+5" and "007". KeyKind::Number and KeyKind::TwoInt
/// refuse it with LockError::Kind::Refused.
std::expected<AdvisoryKey, LockError> advisoryKeyOf(const QByteArray& name, sql::KeyKind kind);

/// The key of a hashed name: the first 8 bytes of its SHA-256, in network byte order, as a signed number. In SQL:
/// `('x' || left(encode(sha256(convert_to('orders', 'UTF8')), 'hex'), 16))::bit(64)::bigint`.
std::int64_t hashedKey(const QByteArray& name);

} // namespace lockscope::recipes
