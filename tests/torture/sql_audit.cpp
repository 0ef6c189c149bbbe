// SPDX-License-Identifier: Apache-2.0
#include "sql_audit.h"

#include <QDateTime>
#include <QRegularExpression>

namespace lockscope::torture {

using sql::Dialect;
using trace::EventKind;
using trace::FreedBy;

namespace {

/// How a dialect says it in a trigger.
struct Words {
    QByteArray number; ///< the type of a column that grows
    QByteArray next;   ///< its next value; empty: it counts by itself
    QByteArray at, port, over;
    QByteArray same; ///< says whether two values are the same, NULL included
    QByteArray from; ///< of a SELECT from nothing
};

Words wordsOf(Dialect dialect) {
    switch (dialect) {
    case Dialect::MySql:
        // A column that counts by itself would take the statement's LAST_INSERT_ID() away, which the recipe reads.
        return {"BIGINT UNSIGNED PRIMARY KEY",
                "UUID_SHORT()",
                "CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED)",
                "(SELECT CAST(SUBSTRING_INDEX(host, ':', -1) AS SIGNED) FROM information_schema.processlist "
                "WHERE id = CONNECTION_ID())",
                "OLD.expires_at <= UTC_TIMESTAMP(6)",
                " <=> ",
                " FROM DUAL"};
    case Dialect::PostgreSql:
        return {"bigserial PRIMARY KEY",
                {},
                "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint",
                "inet_client_port()",
                "CASE WHEN OLD.expires_at <= clock_timestamp() THEN 1 ELSE 0 END",
                " IS NOT DISTINCT FROM ",
                {}};
    case Dialect::Sqlite:
        break;
    }
    return {"INTEGER PRIMARY KEY AUTOINCREMENT",
            {},
            "CAST((julianday('now') - 2440587.5) * 86400000000.0 AS INTEGER)",
            "0",
            "OLD.expires_at <= strftime('%Y-%m-%d %H:%M:%f', 'now')",
            " IS ",
            {}};
}

/// `event`: "INSERT", "UPDATE" or "DELETE".
QByteArray entry(const Words& words, const QByteArray& event) {
    const bool before = event != "INSERT", after = event != "DELETE";
    QByteArray text = "INSERT INTO torture_audit (" + QByteArray(words.next.isEmpty() ? "" : "number, ") +
                      "at, port, lock_name, old_owner, new_owner, lease_over) SELECT " +
                      (words.next.isEmpty() ? QByteArray() : words.next + ", ") + words.at + ", " + words.port + ", " +
                      (after ? "NEW" : "OLD") + ".name, " + (before ? "OLD.owner" : "NULL") + ", " +
                      (after ? "NEW.owner" : "NULL") + ", " + (before ? words.over : "0") + words.from;
    // An INSERT that meets a row, and leaves it, is said to be an update.
    if (before && after)
        text += " WHERE NOT (OLD.owner" + words.same + "NEW.owner AND OLD.expires_at" + words.same + "NEW.expires_at)";
    return text;
}

} // namespace

std::vector<QByteArray> sqlAuditSetup(Dialect dialect) {
    const Words words = wordsOf(dialect);
    std::vector<QByteArray> all{"CREATE TABLE torture_audit (number " + words.number +
                                ", at BIGINT, port BIGINT, lock_name VARCHAR(255), old_owner VARCHAR(255), "
                                "new_owner VARCHAR(255), lease_over INTEGER)"};
    for (const QByteArray& event : {QByteArray("INSERT"), QByteArray("UPDATE"), QByteArray("DELETE")}) {
        const QByteArray name = "torture_" + event.toLower();
        const QByteArray head = "CREATE TRIGGER " + name + " AFTER " + event + " ON lockscope_locks FOR EACH ROW ";
        if (dialect == Dialect::MySql) {
            all.push_back(head + entry(words, event));
        } else if (dialect == Dialect::Sqlite) {
            all.push_back(head + "BEGIN " + entry(words, event) + "; END");
        } else {
            all.push_back("CREATE FUNCTION " + name + "() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN " +
                          entry(words, event) + "; RETURN NULL; END $$");
            all.push_back(head + "EXECUTE FUNCTION " + name + "()");
        }
    }
    return all;
}

QByteArray sqlAuditQuery(Dialect dialect) {
    const QByteArray columns[] = {"at", "port", "lock_name", "old_owner", "new_owner", "lease_over"};
    QByteArray text;
    for (const QByteArray& column : columns) {
        const QByteArray value = dialect == Dialect::MySql        ? "COALESCE(CONCAT(" + column + "), '')"
                                 : dialect == Dialect::PostgreSql ? "COALESCE(" + column + "::text, '')"
                                                                  : "COALESCE(" + column + ", '')";
        if (!text.isEmpty()) text += dialect == Dialect::MySql ? ", '|', " : " || '|' || ";
        text += value;
    }
    if (dialect == Dialect::MySql) text = "CONCAT(" + text + ")";
    return "SELECT " + text + " FROM torture_audit ORDER BY number";
}

std::vector<ServerRecord> readSqlAudit(const QByteArrayList& parts, const Background& background) {
    std::vector<ServerRecord> records;
    for (const QByteArray& part : parts) {
        const QByteArrayList fields = part.split('|');
        if (fields.size() != 6) continue;
        const std::int64_t at = fields[0].toLongLong() * 1000;
        const auto port = static_cast<std::uint16_t>(fields[1].toUInt());
        const QByteArray& place = fields[2];
        const QByteArray before = identityIn(fields[3]), after = identityIn(fields[4]);
        const bool over = fields[5] == "1";
        QByteArray actor = port ? background.speakers.at(port, at) : QByteArray();
        if (port && actor.isEmpty()) actor = "port " + QByteArray::number(port);
        actor = someoneOf(actor);
        const int lock = lockOf(place);
        if (!port && !before.isEmpty() && lock >= 0)
            actor = background.holds.relied(std::size_t(lock), before, at) ? QByteArray(kStranger) : before;
        if (fields[3] == fields[4]) {
            if (port && !before.isEmpty()) // else there is no saying
                records.push_back(serverRecord(EventKind::RecordRenewed, at, place, actor, before));
            continue;
        }
        if (!before.isEmpty()) {
            const bool ended = over && !after.isEmpty();
            records.push_back(freedRecord(at, place, ended ? QByteArray() : actor, before,
                                          ended             ? FreedBy::Expiry
                                          : after.isEmpty() ? FreedBy::Release
                                                            : FreedBy::Overwrite));
        }
        if (!after.isEmpty()) records.push_back(serverRecord(EventKind::RecordHeld, at, place, after, after));
    }
    return records;
}

// 261121 12:00:00	     3 Connect	user@127.0.0.1 on locks using TCP/IP
// 			     3 Query	SELECT 1
std::vector<ServerRecord> readMariaDbLog(const QByteArrayList& parts) {
    static const QRegularExpression said(QStringLiteral(R"(^(\d{6}\s+\d+:\d\d:\d\d)?\s*(\d+) (\w+)\s(.*)$)"));
    static const QRegularExpression kill(QStringLiteral(R"(^KILL\s+(?:CONNECTION\s+)?(\d+))"),
                                         QRegularExpression::CaseInsensitiveOption);
    std::vector<ServerRecord> records;
    int run = 0;
    std::int64_t at = 0; // in seconds, said where they change: the order is what counts
    const auto name = [&](const QString& id) {
        return "connection " + id.toLatin1() + (run > 1 ? " of run " + QByteArray::number(run) : QByteArray());
    };
    for (const QByteArray& line : parts.join('\n').split('\n')) {
        if (line.contains("started with:")) ++run;
        const auto match = said.match(QString::fromUtf8(line));
        if (!match.hasMatch()) continue;
        const QString time = QStringLiteral("20") + match.captured(1).simplified();
        const QDateTime when = QDateTime::fromString(time, QStringLiteral("yyyyMMdd h:mm:ss"));
        if (when.isValid()) at = when.toMSecsSinceEpoch() * 1'000'000;
        const QByteArray me = name(match.captured(2));
        const QString what = match.captured(3);
        if (what == QLatin1String("Connect"))
            records.push_back(serverRecord(EventKind::RecordHeld, at, me, me + ":?", me + ":?"));
        const auto killed = kill.match(match.captured(4));
        if (!killed.hasMatch() || what == QLatin1String("Prepare")) continue;
        const QByteArray victim = name(killed.captured(1));
        if (victim != me) records.push_back(freedRecord(at, victim, me + ":?", victim + ":?", FreedBy::Release));
    }
    return records;
}

std::vector<ServerRecord> readKilledSessions(const QByteArrayList& parts) {
    std::vector<ServerRecord> records;
    const QByteArray place = "sessions", owner = "a session:?";
    for (const QByteArray& part : parts) {
        const qsizetype space = part.indexOf(' ');
        const std::int64_t at = part.left(space).toLongLong(), killed = part.mid(space + 1).toLongLong();
        records.push_back(serverRecord(EventKind::RecordHeld, at, place, owner, owner));
        for (std::int64_t i = 0; i < killed; ++i)
            records.push_back(freedRecord(at, place, kStranger, owner, FreedBy::Release));
    }
    return records;
}

} // namespace lockscope::torture
