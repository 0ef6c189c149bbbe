// SPDX-License-Identifier: Apache-2.0
#include "drivers/sql/named_lock.h"

#include <QCoreApplication>
#include <QCryptographicHash>
#include <QtEndian>
#include <limits>

namespace lockscope::sql {

namespace {
/// A whole number as PostgreSQL prints it, which fits into T.
template <typename T>
std::optional<T> numberIn(const QByteArray& text) {
    bool ok = false;
    const qlonglong value = text.toLongLong(&ok);
    const bool fits = ok && value >= std::numeric_limits<T>::min() && value <= std::numeric_limits<T>::max();
    if (!fits || QByteArray::number(value) != text) return std::nullopt;
    return static_cast<T>(value);
}

std::optional<NamedKey> twoIn(const QByteArray& name) {
    const QByteArrayList parts = name.split(',');
    if (parts.size() != 2) return std::nullopt;
    const auto first = numberIn<std::int32_t>(parts[0]), second = numberIn<std::int32_t>(parts[1]);
    if (!first || !second) return std::nullopt;
    const auto high = static_cast<std::uint64_t>(static_cast<std::uint32_t>(*first));
    return NamedKey{name, static_cast<std::int64_t>(high << 32 | static_cast<std::uint32_t>(*second)), true};
}

std::unexpected<Error> refused(const QString& sentence) {
    return std::unexpected(Error{Error::Kind::Refused, {}, sentence});
}

/// The argument list of pg_advisory_lock() and its siblings, with a question mark for each of valuesOfKey().
QByteArray arguments(const NamedKey& key) {
    return key.two ? "(CAST(? AS integer), CAST(? AS integer))" : "(?)";
}
Values valuesOfKey(const NamedKey& key) {
    if (!key.two) return valuesOf(key.number);
    const auto bits = static_cast<std::uint64_t>(key.number);
    return valuesOf(std::int64_t(static_cast<std::int32_t>(bits >> 32)),
                    std::int64_t(static_cast<std::int32_t>(bits & 0xffffffffU)));
}

/// Never in a FROM, where it would be a table that the server writes down and reads again.
Statement calling(QByteArray function, const NamedKey& key, Sharing sharing) {
    if (sharing == Sharing::Shared) function += "_shared";
    return {"SELECT " + function + arguments(key), valuesOfKey(key)};
}

/// The rows of pg_locks for a key; heldValues() are for its question marks.
constexpr const char* kHeld =
    " FROM pg_locks WHERE locktype = 'advisory' AND granted AND ((classid::bigint << 32) | objid::bigint) = ? AND "
    "objsubid = ? AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";
Values heldValues(const NamedKey& key) {
    return valuesOf(key.number, std::int64_t(key.two ? 2 : 1)); // so pg_locks tells the two kinds apart
}
} // namespace

std::int64_t hashedKey(const QByteArray& name) {
    const QByteArray digest = QCryptographicHash::hash(name, QCryptographicHash::Sha256);
    return qFromBigEndian<qint64>(digest.constData());
}

std::expected<NamedKey, Error> advisoryKeyOf(const QByteArray& name, KeyKind kind) {
    const QString shown = QString::fromUtf8(name);
    switch (kind) {
    case KeyKind::Hash:
        return NamedKey{name, hashedKey(name)};
    case KeyKind::Usual:
        return NamedKey{name, numberIn<std::int64_t>(name).value_or(hashedKey(name))};
    case KeyKind::Number:
        if (const auto number = numberIn<std::int64_t>(name)) return NamedKey{name, *number};
        return refused(QCoreApplication::translate("LockError", "The name “%1” is no 64-bit number, and the URL says "
                                                                "key=number; write for example 4242, or leave the "
                                                                "option out to have names hashed.")
                           .arg(shown));
    case KeyKind::TwoInt:
        if (const auto two = twoIn(name)) return *two;
        return refused(QCoreApplication::translate("LockError", "The name “%1” is not two 32-bit numbers, and the URL "
                                                                "says key=two-int; write for example 12,34.")
                           .arg(shown));
    }
    return refused(shown);
}

Statement takeNamed(Dialect dialect, const NamedKey& key, Sharing sharing, Nanos wait) {
    const bool waits = wait > Nanos(0);
    if (dialect == Dialect::PostgreSql)
        return calling(waits ? "pg_advisory_lock" : "pg_try_advisory_lock", key, sharing);
    // Whole seconds, since MySQL rounds; a shorter wait is ended by us. Without a bound: a year.
    const std::int64_t seconds = wait == kNever ? 31'536'000 : std::chrono::ceil<std::chrono::seconds>(wait).count();
    constexpr bool kByLimit = false; // InnoDB's does not count
    return {"SELECT GET_LOCK(CONVERT(? USING utf8mb4), ?)", valuesOf(key.name, seconds), kByLimit};
}

std::optional<bool> namedTaken(Dialect dialect, Nanos wait, const Reply& reply) {
    if (dialect == Dialect::PostgreSql && wait > Nanos(0)) return !reply.rows.empty(); // a row with a void
    if (reply.isNull()) return std::nullopt;
    return reply.number() == 1;
}

Statement releaseNamed(Dialect dialect, const NamedKey& key, Sharing sharing) {
    Statement statement;
    if (dialect == Dialect::PostgreSql)
        statement = calling("pg_advisory_unlock", key, sharing);
    else
        statement = {"SELECT RELEASE_LOCK(CONVERT(? USING utf8mb4))", valuesOf(key.name)};
    statement.waits = false;
    return statement;
}

Statement releaseAllNamed(Dialect dialect) {
    Statement statement;
    statement.text =
        dialect == Dialect::PostgreSql ? "SELECT 1 FROM pg_advisory_unlock_all()" : "SELECT RELEASE_ALL_LOCKS()";
    statement.waits = false;
    return statement;
}

Statement namedHolders(Dialect dialect, const NamedKey& key) {
    if (dialect == Dialect::PostgreSql) return {QByteArray("SELECT pid") + kHeld, heldValues(key)};
    return {"SELECT IS_USED_LOCK(CONVERT(? USING utf8mb4))", valuesOf(key.name)};
}

Statement endNamedHolders(const NamedKey& key) {
    return {QByteArray("SELECT pg_terminate_backend(pid), pid") + kHeld, heldValues(key)};
}

Statement endNamedHolder(const NamedKey& key, std::int64_t session) {
    Statement statement = endNamedHolders(key);
    statement.text += " AND pid = ?";
    statement.values.emplace_back(session);
    return statement;
}

std::optional<NamedKey> listedKey(const QByteArray& name) {
    if (const auto number = numberIn<std::int64_t>(name)) return NamedKey{name, *number};
    return twoIn(name);
}

} // namespace lockscope::sql
