// SPDX-License-Identifier: Apache-2.0
#include "inspect/sql/seen_table.h"

#include <algorithm>

namespace lockscope::inspect {

using sql::Language;

bool TableName::has(const char* column) const {
    return std::ranges::any_of(columns, [column](const QByteArray& name) { return name.toLower() == column; });
}

std::span<const TableFormat> tableFormats() {
    static const TableFormat kFormats[] = {kLockscopeTable, kShedLockTable, kIntLockTable,
                                           kLiquibaseTable, kLaravelTable,  kQuartzTable};
    return kFormats;
}

const char* backendOf(Language language) {
    switch (language) {
    case Language::MariaDb:
        return "mariadb";
    case Language::MySql:
        return "mysql";
    case Language::PostgreSql:
        return "postgresql";
    case Language::Sqlite:
        break;
    }
    return "sqlite";
}

QByteArray quoted(Language language, const QByteArray& name) {
    const char mark = language == Language::MariaDb || language == Language::MySql ? '`' : '"';
    QByteArray text = name;
    text.replace(QByteArray(1, mark), QByteArray(2, mark));
    return mark + text + mark;
}

QByteArray quoted(Language language, const TableName& table) {
    const QByteArray name = quoted(language, table.table);
    return table.schema.isEmpty() ? name : quoted(language, table.schema) + '.' + name;
}

const SqlWords& sqlWords(Language language) {
    static const SqlWords kMySql{
        "CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED)",
        [](const QByteArray& utc) {
            return QByteArray("TIMESTAMPDIFF(MICROSECOND, '1970-01-01', " + utc + ") DIV 1000");
        },
        [](const QByteArray& expression) { return QByteArray("CAST(" + expression + " AS CHAR)"); }};
    static const SqlWords kPostgreSql{
        "(extract(epoch FROM clock_timestamp()) * 1000)::bigint",
        // An instant without a zone counts as UTC; one with a zone is exact.
        [](const QByteArray& utc) {
            return QByteArray("CASE WHEN isfinite(" + utc + ") THEN (extract(epoch FROM " + utc +
                              ") * 1000)::bigint WHEN " + utc + " > now() THEN " + QByteArray::number(kInfinityMs) +
                              " END");
        },
        [](const QByteArray& expression) { return QByteArray("(" + expression + ")::text"); }};
    static const SqlWords kSqlite{
        "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)",
        [](const QByteArray& utc) {
            return QByteArray("CAST((julianday(" + utc + ") - 2440587.5) * 86400000 AS INTEGER)");
        },
        [](const QByteArray& expression) { return QByteArray("CAST(" + expression + " AS TEXT)"); }};
    switch (language) {
    case Language::PostgreSql:
        return kPostgreSql;
    case Language::Sqlite:
        return kSqlite;
    case Language::MariaDb:
    case Language::MySql:
        break;
    }
    return kMySql;
}

} // namespace lockscope::inspect
