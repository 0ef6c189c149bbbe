// SPDX-License-Identifier: Apache-2.0
#include "raw_sql.h"

#include <QHashFunctions>

namespace lockscope::bench {

namespace {

/// The server's clock, ms since 1970.
QByteArray nowIn(Service service) {
    if (service == Service::MySql) return "CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED)";
    if (service == Service::PostgreSql) return "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)";
    return "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)";
}

} // namespace

std::vector<QByteArray> rawSqlPreparation(const ConnectionUrl& url, const QByteArray& lock) {
    const QByteArray create = "CREATE TABLE IF NOT EXISTS lock_bench_raw (name VARCHAR(200) PRIMARY KEY, "
                              "owner VARCHAR(200), version BIGINT NOT NULL DEFAULT 0, expires_at BIGINT)";
    // Clients of one lock share its row.
    const bool mySql = url.service == Service::MySql;
    const QByteArray insert = QByteArray(mySql ? "INSERT IGNORE" : "INSERT") + " INTO lock_bench_raw (name) VALUES ('" +
                              lock + "')" + (mySql ? "" : " ON CONFLICT DO NOTHING");
    if (url.service == Service::Sqlite)
        return {"PRAGMA busy_timeout = 5000", "PRAGMA journal_mode = WAL", create, insert};
    return {create, insert};
}

SqlPair rawSqlPair(const ConnectionUrl& url, const QByteArray& recipe, const QByteArray& lock) {
    const QByteArray name = "'" + lock + "'", owner = "'5a0e1fb5-4a9e-4c50-9fd4-dca2a9c2a7bd:1'";
    const bool mySql = url.service == Service::MySql;
    if (recipe == "sql-row") {
        return {{"INSERT INTO lock_bench_raw (name, owner) VALUES ('row-" + lock + "', " + owner + ")"},
                {"DELETE FROM lock_bench_raw WHERE name = 'row-" + lock + "' AND owner = " + owner}};
    }
    if (recipe == "sql-for-update" && url.service != Service::Sqlite) {
        return {{"BEGIN", "SELECT version FROM lock_bench_raw WHERE name = " + name + " FOR UPDATE"}, {"COMMIT"}};
    }
    if (recipe == "sql-advisory" && url.service != Service::Sqlite) {
        if (mySql) return {{"SELECT GET_LOCK(" + name + ", 100)"}, {"SELECT RELEASE_LOCK(" + name + ")"}};
        const QByteArray number = QByteArray::number(qulonglong(qHash(lock)) >> 1);
        return {{"SELECT pg_advisory_lock(" + number + ")"}, {"SELECT pg_advisory_unlock(" + number + ")"}};
    }
    if (recipe == "sql-version") { // whatever was read stands for itself: its value would have to be bound
        return {{"SELECT version FROM lock_bench_raw WHERE name = " + name},
                {"UPDATE lock_bench_raw SET owner = " + owner + ", version = version + 1 WHERE name = " + name +
                 " AND version >= 0"}};
    }
    const QByteArray now = nowIn(url.service);
    const QByteArray next = mySql ? "LAST_INSERT_ID(version + 1)" : "version + 1";
    const QByteArray token = mySql ? "" : " RETURNING version";
    return {{"UPDATE lock_bench_raw SET owner = " + owner + ", version = " + next + ", expires_at = " + now +
             " + 30000 WHERE name = " + name + " AND (owner IS NULL OR expires_at <= " + now + ")" + token},
            {"UPDATE lock_bench_raw SET owner = NULL, expires_at = " + now + " WHERE name = " + name +
             " AND owner = " + owner + " AND expires_at > " + now}};
}

MadeRaw makeRawSql(const ConnectionUrl& url, const QByteArray& recipe, const Workload& workload) {
    const QByteArray name = "raw-" + QByteArray::number(clockNow(), 16) + '-';
    return makeRawClients(workload, [&](int index) -> MadeRawClient {
        const QByteArray lock = name + QByteArray::number(index);
        if (url.service == Service::MySql) return makeRawMySql(url, recipe, lock);
        if (url.service == Service::PostgreSql) return makeRawPostgreSql(url, recipe, lock);
        return makeRawSqlite(url, recipe, lock);
    });
}

} // namespace lockscope::bench
