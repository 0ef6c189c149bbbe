// SPDX-License-Identifier: Apache-2.0
#include "drivers/sql/named_lock.h"

namespace lockscope::sql {

namespace {
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

} // namespace lockscope::sql
