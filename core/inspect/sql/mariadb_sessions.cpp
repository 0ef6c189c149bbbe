// SPDX-License-Identifier: Apache-2.0
#include "inspect/sql/sessions.h"
#include "inspect/text.h"

#include <QRegularExpression>
#include <algorithm>

namespace lockscope::inspect {

namespace {

using sql::Table;

// The performance schema lists named locks with their waiters, where it and its instrument are on: MariaDB has both off
// unless somebody wants them.
constexpr const char* kListsNames =
    "SELECT COUNT(*) FROM performance_schema.setup_instruments WHERE NAME = 'wait/lock/metadata/sql/mdl' AND "
    "ENABLED = 'YES'";
constexpr const char* kNamed =
    "SELECT m.OBJECT_NAME, m.LOCK_STATUS, t.PROCESSLIST_ID, COALESCE(t.PROCESSLIST_USER, ''), "
    "COALESCE(t.PROCESSLIST_HOST, ''), LEFT(COALESCE(t.PROCESSLIST_INFO, ''), 200), "
    "CAST((UNIX_TIMESTAMP(NOW(3)) - COALESCE(t.PROCESSLIST_TIME, 0)) * 1000 AS SIGNED) "
    "FROM performance_schema.metadata_locks m JOIN performance_schema.threads t ON t.THREAD_ID = m.OWNER_THREAD_ID "
    "WHERE m.OBJECT_TYPE = 'USER LEVEL LOCK' ORDER BY t.PROCESSLIST_TIME DESC, t.PROCESSLIST_ID LIMIT 5000";
enum NamedColumn : std::size_t { Name, Status, Id, User, Host, Info, Since };

// The plugin metadata_lock_info lists holders.
constexpr const char* kHasPlugin =
    "SELECT COUNT(*) FROM information_schema.PLUGINS WHERE PLUGIN_NAME = 'METADATA_LOCK_INFO' AND "
    "PLUGIN_STATUS = 'ACTIVE'";
constexpr const char* kNamedByPlugin =
    "SELECT m.TABLE_SCHEMA, 'GRANTED', m.THREAD_ID, COALESCE(p.USER, ''), COALESCE(p.HOST, ''), "
    "LEFT(COALESCE(p.INFO, ''), 200), NULL FROM information_schema.METADATA_LOCK_INFO m "
    "LEFT JOIN information_schema.PROCESSLIST p ON p.ID = m.THREAD_ID WHERE m.LOCK_TYPE = 'User lock' LIMIT 5000";
// Without either, whoever waits shows in the list of connections, with its statement.
constexpr const char* kWaiting =
    "SELECT '', 'PENDING', ID, USER, HOST, LEFT(INFO, 300), "
    "CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 - TIME_MS AS SIGNED) FROM information_schema.PROCESSLIST "
    "WHERE STATE = 'User lock' ORDER BY TIME_MS DESC, ID LIMIT 5000";
constexpr const char* kConnection =
    "SELECT USER, HOST, LEFT(COALESCE(INFO, ''), 200) FROM information_schema.PROCESSLIST WHERE ID = ?";

constexpr const char* kBlocked =
    "SELECT r.trx_mysql_thread_id, b.trx_mysql_thread_id, l.lock_table, COALESCE(l.lock_index, ''), "
    "COALESCE(l.lock_data, ''), l.lock_mode, CAST(UNIX_TIMESTAMP(r.trx_wait_started) * 1000 AS SIGNED), b.trx_state, "
    "COALESCE(LEFT(r.trx_query, 200), ''), COALESCE(LEFT(b.trx_query, 200), ''), "
    "CAST(UNIX_TIMESTAMP(b.trx_started) * 1000 AS SIGNED), COALESCE(rp.USER, ''), COALESCE(rp.HOST, ''), "
    "COALESCE(bp.USER, ''), CONCAT(COALESCE(bp.HOST, ''), IF(bp.COMMAND = 'Sleep', ', idle in transaction', '')) FROM "
    "information_schema.INNODB_LOCK_WAITS w "
    "JOIN information_schema.INNODB_TRX r ON r.trx_id = w.requesting_trx_id "
    "JOIN information_schema.INNODB_TRX b ON b.trx_id = w.blocking_trx_id "
    "JOIN information_schema.INNODB_LOCKS l ON l.lock_id = w.requested_lock_id "
    "LEFT JOIN information_schema.PROCESSLIST rp ON rp.ID = r.trx_mysql_thread_id "
    "LEFT JOIN information_schema.PROCESSLIST bp ON bp.ID = b.trx_mysql_thread_id "
    "ORDER BY r.trx_wait_started, r.trx_id LIMIT 2000";
enum BlockedColumn : std::size_t {
    Waiter,
    Blocker,
    LockTable,
    Index,
    Data,
    Mode,
    WaitSince,
    BlockerState,
    WaiterQuery,
    BlockerQuery,
    BlockerSince,
    WaiterUser,
    WaiterHost,
    BlockerUser,
    BlockerHost
};

LockRow rowNamed(QByteArray name, const char* format, sql::Language language) {
    LockRow row;
    row.name = std::move(name);
    row.format = format;
    row.backend = backendOf(language);
    row.waiters.emplace();
    row.waiterCount = 0;
    return row;
}

void addWaiter(LockRow& row, Party waiter) {
    waiter.position = int(row.waiters->size());
    row.waiters->push_back(std::move(waiter));
    row.waiterCount = std::int64_t(row.waiters->size());
}

/// The name in GET_LOCK('name', …); empty: the statement has none that can be read.
QByteArray nameInStatement(const QByteArray& statement) {
    static const QRegularExpression kCall(QStringLiteral("GET_LOCK\\s*\\(\\s*'([^'\\\\]*)'"),
                                          QRegularExpression::CaseInsensitiveOption);
    const auto match = kCall.match(QString::fromUtf8(statement));
    return match.captured(1).toUtf8();
}

using Locks = std::map<QByteArray, LockRow>;

void add(Locks& locks, SessionNames& names, const Table& table, std::size_t at, const QByteArray& name,
         sql::Language language) {
    LockRow& row = locks.try_emplace(name, rowNamed(name, "get-lock", language)).first->second;
    Party party = sessionParty(names,
                               {.number = table.text(at, Id),
                                .user = table.text(at, User),
                                .address = table.text(at, Host),
                                .statement = table.text(at, Info)},
                               "exclusive");
    if (row.raw.empty()) row.raw.push_back({name, "named lock", {}, readable(table.text(at, Status))});
    if (table.text(at, Status) == "GRANTED") {
        row.state = LockRow::State::Held;
        row.entries.push_back({table.text(at, Id), name});
        row.holders.push_back(std::move(party));
        return;
    }
    if (row.state == LockRow::State::Free) row.state = LockRow::State::Queued;
    party.sinceWallMs = table.number(at, Since);
    addWaiter(row, std::move(party));
}

/// `db`.`table`, key 'a' → "db.table:'a'".
QByteArray blockedName(const Table& table, std::size_t at) {
    QByteArray name = table.text(at, LockTable);
    name.replace('`', "");
    const QByteArray data = table.text(at, Data);
    return data.isEmpty() ? name : name + ':' + data;
}

void addBlocked(const Table& table, SessionNames& names, std::vector<LockRow>& rows) {
    Locks locks;
    std::map<QByteArray, std::set<QByteArray>> waiting, holding;
    for (std::size_t at = 0; at < table.rows.size(); ++at) {
        const QByteArray name = blockedName(table, at);
        const bool ofQuartz = table.text(at, LockTable).toLower().endsWith("qrtz_locks`");
        const char* const format = ofQuartz ? kQuartzFormat : "innodb-row";
        LockRow& row = locks.try_emplace(name, rowNamed(name, format, sql::Language::MariaDb)).first->second;
        row.state = LockRow::State::Held;
        if (waiting[name].insert(table.text(at, Waiter)).second) {
            Party waiter = sessionParty(names,
                                        {.number = table.text(at, Waiter),
                                         .user = table.text(at, WaiterUser),
                                         .address = table.text(at, WaiterHost),
                                         .statement = table.text(at, WaiterQuery)},
                                        "exclusive");
            waiter.sinceWallMs = table.number(at, WaitSince);
            addWaiter(row, std::move(waiter));
        }
        // Earlier requests of the queue stand there as blockers, too: the holder is one that runs.
        const bool runs = table.text(at, BlockerState) != "LOCK WAIT";
        if (runs && holding[name].insert(table.text(at, Blocker)).second) {
            Party holder = sessionParty(names,
                                        {.number = table.text(at, Blocker),
                                         .user = table.text(at, BlockerUser),
                                         .address = table.text(at, BlockerHost),
                                         .statement = table.text(at, BlockerQuery)},
                                        "exclusive");
            holder.sinceWallMs = table.number(at, BlockerSince);
            if (holder.sinceWallMs) row.entries.push_back({table.text(at, Blocker), {}, *holder.sinceWallMs});
            row.holders.push_back(std::move(holder));
        }
        if (row.raw.empty())
            row.raw.push_back(
                {table.text(at, LockTable),
                 "locked row",
                 {},
                 readable(table.text(at, Index) + ' ' + table.text(at, Data) + ' ' + table.text(at, Mode))});
    }
    for (auto& [name, row] : locks)
        rows.push_back(std::move(row));
}

} // namespace

SessionsRead readMariaDbSessions(sql::Reader& reader, SessionNames& names, std::set<QByteArray> wanted,
                                 std::stop_token stop) {
    SessionLocks found;
    Locks locks;
    const auto lists = co_await reader.ask(kListsNames, stop);
    if (!lists && lists.error().connectionLost()) co_return std::unexpected(lists.error());
    bool all = false;
    if (lists && lists->number(0, 0).value_or(0) > 0) {
        const auto named = co_await reader.ask(kNamed, stop);
        if (!named && named.error().connectionLost()) co_return std::unexpected(named.error());
        all = named.has_value();
        for (std::size_t at = 0; all && at < named->rows.size(); ++at)
            add(locks, names, *named, at, named->text(at, Name), reader.language());
    }
    if (!all) {
        const auto waiting = co_await reader.ask(kWaiting, stop);
        if (!waiting) co_return std::unexpected(waiting.error());
        for (std::size_t at = 0; at < waiting->rows.size(); ++at) {
            const QByteArray name = nameInStatement(waiting->text(at, Info));
            if (name.isEmpty()) continue;
            wanted.insert(name);
            add(locks, names, *waiting, at, name, reader.language());
        }
        const auto plugin = co_await reader.ask(kHasPlugin, stop);
        if (plugin && plugin->number(0, 0).value_or(0) > 0) {
            const auto holders = co_await reader.ask(kNamedByPlugin, stop);
            all = holders.has_value();
            for (std::size_t at = 0; all && at < holders->rows.size(); ++at)
                add(locks, names, *holders, at, holders->text(at, Name), reader.language());
        }
    }
    if (!all) {
        for (const QByteArray& name : wanted) {
            const auto user = co_await reader.askAbout("SELECT IS_USED_LOCK(?)", name, stop);
            if (!user && user.error().connectionLost()) co_return std::unexpected(user.error());
            if (!user || !user->rows.at(0).at(0)) continue;
            const QByteArray id = user->text(0, 0);
            const auto who = co_await reader.askAbout(kConnection, id, stop);
            LockRow& row = locks.try_emplace(name, rowNamed(name, "get-lock", reader.language())).first->second;
            row.state = LockRow::State::Held;
            row.entries.push_back({id, name});
            SeenSession session{.number = id};
            if (who && !who->rows.empty())
                session = {
                    .number = id, .user = who->text(0, 0), .address = who->text(0, 1), .statement = who->text(0, 2)};
            row.holders.push_back(sessionParty(names, session, "exclusive"));
            if (row.raw.empty()) row.raw.push_back({name, "named lock", {}, readable("IS_USED_LOCK")});
        }
        found.notes.push_back({WatchNote::Kind::NamedLocksHidden, 0, {}});
    }
    for (auto& [name, row] : locks)
        found.rows.push_back(std::move(row));
    if (reader.language() != sql::Language::MariaDb) co_return found; // these tables are MariaDB's
    const auto blocked = co_await reader.ask(kBlocked, stop);
    if (!blocked && blocked.error().connectionLost()) co_return std::unexpected(blocked.error());
    if (blocked)
        addBlocked(*blocked, names, found.rows);
    else
        found.notes.push_back({WatchNote::Kind::SessionsRefused, 0, {}});
    auto tables = co_await readMariaDbTables(reader, names, stop);
    if (!tables && tables.error().connectionLost()) co_return std::unexpected(tables.error());
    if (tables) std::ranges::move(tables->rows, std::back_inserter(found.rows));
    co_return found;
}

} // namespace lockscope::inspect
