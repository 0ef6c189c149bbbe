// SPDX-License-Identifier: Apache-2.0
#include "inspect/sql/known_keys.h"
#include "inspect/sql/sessions.h"
#include "inspect/sql/statement_text.h"
#include "inspect/text.h"

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
    "IF(m.LOCK_STATUS = 'GRANTED', NULL, "
    "CAST((UNIX_TIMESTAMP(NOW(3)) - COALESCE(t.PROCESSLIST_TIME, 0)) * 1000 AS SIGNED)) "
    "FROM performance_schema.metadata_locks m JOIN performance_schema.threads t ON t.THREAD_ID = m.OWNER_THREAD_ID "
    "WHERE m.OBJECT_TYPE = 'USER LEVEL LOCK' ORDER BY t.PROCESSLIST_TIME DESC, t.PROCESSLIST_ID";
enum NamedColumn : std::size_t { Name, Status, Id, User, Host, Info, Since };

// The plugin metadata_lock_info lists holders. Its LOCK_TIME_MS counts from when the lock was asked for, so it does not
// tell since when one who had to wait has held it.
constexpr const char* kHasPlugin =
    "SELECT COUNT(*) FROM information_schema.PLUGINS WHERE PLUGIN_NAME = 'METADATA_LOCK_INFO' AND "
    "PLUGIN_STATUS = 'ACTIVE'";
constexpr const char* kNamedByPlugin =
    "SELECT m.TABLE_SCHEMA, 'GRANTED', m.THREAD_ID, COALESCE(p.USER, ''), COALESCE(p.HOST, ''), "
    "LEFT(COALESCE(p.INFO, ''), 200), NULL "
    "FROM information_schema.METADATA_LOCK_INFO m "
    "LEFT JOIN information_schema.PROCESSLIST p ON p.ID = m.THREAD_ID WHERE m.LOCK_TYPE = 'User lock'";
// Without either, whoever waits shows in the list of connections, with its statement.
constexpr const char* kWaiting =
    "SELECT '', 'PENDING', ID, USER, HOST, LEFT(INFO, 300), "
    "CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 - TIME_MS AS SIGNED) FROM information_schema.PROCESSLIST "
    "WHERE STATE = 'User lock' ORDER BY TIME_MS DESC, ID";
constexpr const char* kConnection =
    "SELECT USER, HOST, LEFT(COALESCE(INFO, ''), 200) FROM information_schema.PROCESSLIST WHERE ID = ?";

using Locks = std::map<QByteArray, LockRow>;

void add(Locks& locks, SessionNames& names, const Table& table, std::size_t at, const QByteArray& name,
         sql::Language language) {
    LockRow& row = locks.try_emplace(name, sessionLock(name, kNamedLockFormat, language)).first->second;
    Party party = sessionParty(names,
                               {.number = table.text(at, Id),
                                .user = table.text(at, User),
                                .address = table.text(at, Host),
                                .statement = table.text(at, Info)},
                               "exclusive");
    party.sinceWallMs = table.number(at, Since);
    if (row.raw.empty()) row.raw.push_back({name, "named lock", {}, readable(table.text(at, Status))});
    if (table.text(at, Status) == "GRANTED") {
        row.state = LockRow::State::Held;
        row.entries.push_back({table.text(at, Id), name});
        row.holders.push_back(std::move(party));
        return;
    }
    if (row.state == LockRow::State::Free) row.state = LockRow::State::Queued;
    addWaiter(row, std::move(party));
}

void waitersNotKnown(LockRow& row) {
    if (row.format != kNamedLockFormat) return;
    row.waiterCount.reset();
    if (row.waiters->empty()) row.waiters.reset();
}

} // namespace

SessionsRead readMariaDbSessions(sql::Reader& reader, SessionMemory& memory, std::set<QByteArray> wanted,
                                 std::stop_token stop) {
    SessionNames& names = memory.names;
    SessionLocks found;
    Locks locks;
    const auto lists = co_await reader.ask(kListsNames, stop);
    if (!lists && lists.error().connectionLost()) co_return std::unexpected(lists.error());
    bool all = false, waitersListed = false;
    std::int64_t nameless = 0; // sessions that wait for a named lock which their statement does not name
    if (lists && lists->number(0, 0).value_or(0) > 0) {
        const auto named = co_await askBounded(reader, kNamed, found, stop);
        if (!named && named.error().connectionLost()) co_return std::unexpected(named.error());
        all = waitersListed = named.has_value();
        for (std::size_t at = 0; all && at < named->rows.size(); ++at)
            add(locks, names, *named, at, named->text(at, Name), reader.language());
    }
    if (!all) {
        const auto waiting = co_await askBounded(reader, kWaiting, found, stop);
        if (!waiting) co_return std::unexpected(waiting.error());
        for (std::size_t at = 0; at < waiting->rows.size(); ++at) {
            const QByteArray name = lockNameIn(waiting->text(at, Info));
            if (name.isEmpty()) {
                ++nameless;
                continue;
            }
            wanted.insert(name);
            add(locks, names, *waiting, at, name, reader.language());
        }
        const auto plugin = co_await reader.ask(kHasPlugin, stop);
        if (plugin && plugin->number(0, 0).value_or(0) > 0) {
            const auto holders = co_await askBounded(reader, kNamedByPlugin, found, stop);
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
            LockRow& row =
                locks.try_emplace(name, sessionLock(name, kNamedLockFormat, reader.language())).first->second;
            row.state = LockRow::State::Held;
            row.entries.push_back({id, name});
            SeenSession session{.number = id};
            if (who && !who->rows.empty())
                session = {
                    .number = id, .user = who->text(0, 0), .address = who->text(0, 1), .statement = who->text(0, 2)};
            row.holders.push_back(sessionParty(names, session, "exclusive"));
            if (row.raw.empty()) row.raw.push_back({name, "named lock", {}, readable("IS_USED_LOCK")});
        }
        // It may list them, to others.
        const bool refused = !lists && lists.error().kind == sql::Error::Kind::Refused;
        const auto unread = refused ? std::vector<QByteArray>{"performance_schema"} : std::vector<QByteArray>();
        found.notes.push_back({WatchNote::Kind::NamedLocksHidden, nameless, unread});
    }
    const QString where = reader.where();
    const QByteArray database = where.sliced(where.lastIndexOf(u'/') + 1).toUtf8();
    for (auto& [name, row] : locks) {
        row.name = advisoryLockName(name, database);
        found.rows.push_back(std::move(row));
    }
    const auto failed = co_await readInnoDbRows(reader, memory, found, stop);
    if (failed) co_return std::unexpected(*failed);
    // A user without that right sees only its own connections in the list: others may wait, too.
    const bool refused =
        std::ranges::find(found.notes, WatchNote::Kind::SessionsRefused, &WatchNote::kind) != found.notes.end();
    if ((refused && !waitersListed) || nameless > 0) std::ranges::for_each(found.rows, waitersNotKnown);
    if (reader.language() != sql::Language::MariaDb) co_return found; // the list of connections is MariaDB's
    auto tables = co_await readMariaDbTables(reader, names, stop);
    if (!tables && tables.error().connectionLost()) co_return std::unexpected(tables.error());
    if (!tables) co_return found;
    std::ranges::move(tables->rows, std::back_inserter(found.rows));
    if (!tables->notes.empty() && std::ranges::find(found.notes, tables->notes.front()) == found.notes.end())
        found.notes.push_back(tables->notes.front());
    co_return found;
}

} // namespace lockscope::inspect
