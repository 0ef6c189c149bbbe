// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/sql/key_kind.h"
#include "backends/sql/port.h"
#include "recipes/lock_error.h"

#include <expected>

namespace lockscope::recipes {

/// A key of PostgreSQL's advisory locks: one 64-bit number, or two of 32 bits. The two kinds never meet.
struct AdvisoryKey {
    std::int64_t number = 0; ///< of two: the first in the high bits
    bool two = false;

    /// The arguments of pg_advisory_lock() and its siblings, and their values.
    QByteArray arguments() const;
    sql::Values values() const;
    /// Which rows of pg_locks are of this key, and the values of its question marks.
    static QByteArray heldRows();
    sql::Values heldValues() const;
};

/// The key that a name stands for. A number is written as PostgreSQL prints it: no plus sign, no leading zeros; in the
/// usual kind what is not, is hashed like any other name. Kind::Refused for a name that the kind does not take.
std::expected<AdvisoryKey, LockError> advisoryKeyOf(const QByteArray& name, sql::KeyKind kind);

/// The key of a name that is hashed: the first 8 bytes of its SHA-256, the first one highest, as a signed number. In
/// SQL: `('x' || left(encode(sha256(convert_to('orders', 'UTF8')), 'hex'), 16))::bit(64)::bigint`.
std::int64_t hashedKey(const QByteArray& name);

} // namespace lockscope::recipes
