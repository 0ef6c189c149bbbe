// SPDX-License-Identifier: Apache-2.0
#include "inspect/sql/watcher.h"

#include "inspect/redis/joined_report.h"
#include "inspect/sql/formats/int_lock.h"
#include "inspect/uptime.h"

#include <algorithm>

namespace lockscope::inspect {

using sql::Error;
using sql::Language;

namespace {

constexpr Nanos kCatalogueAgain = 30s; // tables come seldom
constexpr Nanos kRoleAgain = 15s;
constexpr Nanos kRefusedAgain = 300s;
constexpr int kMostRows = 5000;     // of one lock table
constexpr int kMostTables = 20'000; // with "lock" in their names
// Tables of no known library: in each of them, rows may be locked (PostgreSQL), which takes a question of its own.
constexpr int kMostOthers = 200;

WatchTrouble troubleOf(const Error& error) {
    using Kind = WatchTrouble::Kind;
    const bool refused =
        error.kind == Error::Kind::AuthFailed || error.kind == Error::Kind::NoDatabase || !error.connectionLost();
    const Kind kind = error.kind == Error::Kind::WrongUrl ? Kind::WrongUrl
                      : refused                           ? Kind::Refused
                                                          : Kind::Unreachable;
    return {kind, error.code, error.message};
}

const char* identityQuery(Language language) {
    switch (language) {
    case Language::PostgreSql:
        return "SELECT current_setting('server_version'), pg_postmaster_start_time()::text, "
               "extract(epoch FROM clock_timestamp() - pg_postmaster_start_time())::bigint, pg_is_in_recovery()::int";
    case Language::MariaDb:
        return "SELECT VERSION(), '', (SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS WHERE "
               "VARIABLE_NAME = 'UPTIME'), @@global.read_only";
    case Language::MySql:
        return "SELECT VERSION(), @@server_uuid, 0, @@global.read_only";
    case Language::Sqlite:
        break;
    }
    return "SELECT sqlite_version(), '', 0, 0";
}
enum IdentityColumn : std::size_t { Version, Run, Uptime, Replica };

/// A PostgreSQL's replicas that may be seen, and what each has not replayed yet.
constexpr const char* kReplicas =
    "SELECT COALESCE(host(client_addr), application_name), state, "
    "pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn)::bigint FROM pg_stat_replication WHERE state IS NOT NULL "
    "ORDER BY 1 LIMIT 32";
enum ReplicaColumn : std::size_t { Standby, Phase, NotReplayed };
/// About a PostgreSQL that is a replica: its master, and what it has received and does not show yet.
constexpr const char* kReplay =
    "SELECT COALESCE((SELECT sender_host || ':' || sender_port FROM pg_stat_wal_receiver LIMIT 1), ''), "
    "pg_wal_lsn_diff(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn())::bigint";
enum ReplayColumn : std::size_t { Master, NotShown };

/// Columns of SHOW REPLICA STATUS, which servers name differently and do not move.
enum SourceColumn : std::size_t { SourceHost = 1, SourcePort = 3, SecondsBehind = 32 };
/// The connections over which a MySQL's or MariaDB's replicas copy; only the own ones without the right PROCESS.
constexpr const char* kDumps =
    "SELECT HOST FROM information_schema.PROCESSLIST WHERE COMMAND LIKE 'Binlog Dump%' ORDER BY 1 LIMIT 32";

const char* catalogueQuery(Language language) {
    switch (language) {
    case Language::PostgreSql:
        return "SELECT n.nspname, c.relname, (SELECT string_agg(a.attname, ',') FROM pg_attribute a WHERE a.attrelid = "
               "c.oid AND a.attnum > 0) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
               "WHERE c.relkind IN ('r', 'p') AND (lower(c.relname) LIKE '%lock%' OR lower(c.relname) "
               "LIKE '%scheduler_state' OR c.relname::text = ?) AND "
               "n.nspname NOT IN "
               "('pg_catalog', 'information_schema') LIMIT ";
    case Language::MariaDb:
    case Language::MySql:
        return "SELECT TABLE_SCHEMA, TABLE_NAME, GROUP_CONCAT(COLUMN_NAME) FROM information_schema.COLUMNS WHERE "
               "TABLE_SCHEMA = DATABASE() AND (LOWER(TABLE_NAME) LIKE '%lock%' OR LOWER(TABLE_NAME) LIKE "
               "'%scheduler_state' OR "
               "TABLE_NAME = ?) GROUP BY "
               "TABLE_SCHEMA, TABLE_NAME "
               "LIMIT ";
    case Language::Sqlite:
        break;
    }
    return "SELECT '', m.name, (SELECT group_concat(name) FROM pragma_table_info(m.name)) FROM sqlite_schema m WHERE "
           "m.type = 'table' AND (lower(m.name) LIKE '%lock%' OR lower(m.name) LIKE '%scheduler_state' OR m.name = ?) "
           "LIMIT ";
}

/// A name is one lock in a report: where two places have the same one, each says where it is.
void tellApart(std::vector<LockRow>& rows) {
    std::map<QByteArray, int> count;
    for (const LockRow& row : rows)
        ++count[row.name];
    for (LockRow& row : rows)
        if (count[row.name] > 1) row.name = (row.raw.empty() ? row.format : row.raw.front().key) + ':' + row.name;
}

} // namespace

SqlWatcher::SqlWatcher(sql::Reader& reader, NamedTable named, WatchOptions options)
    : LookingWatcher(reader.runtime(), reader.where(), std::move(options)),
      m_reader(reader),
      m_named(std::move(named)) {
    m_sessions.names = SessionNames(reader.language());
}

QCoro::Task<std::expected<void, WatchTrouble>> SqlWatcher::connect(std::stop_token stop) {
    const auto opened = co_await m_reader.open(std::move(stop));
    if (!opened) co_return std::unexpected(troubleOf(opened.error()));
    co_return std::expected<void, WatchTrouble>();
}

QCoro::Task<SqlWatcher::Failed> SqlWatcher::readIdentity(Look& look, std::stop_token stop) {
    const Nanos asked = runtime().monotonic();
    const auto answer = co_await m_reader.ask(identityQuery(m_reader.language()), stop);
    m_way = std::min(m_way, runtime().monotonic() - asked);
    if (!answer && answer.error().connectionLost()) co_return answer.error();
    if (!answer || answer->rows.empty()) co_return std::nullopt;
    ServerIdentity server;
    server.version = answer->text(0, Version);
    server.runId = answer->text(0, Run);
    server.uptime = uptimeOf(answer->number(0, Uptime).value_or(0));
    if (m_reader.language() == Language::PostgreSql)
        server.role = answer->number(0, Replica) == 1 ? ServerIdentity::Role::Replica : ServerIdentity::Role::Master;
    if (m_reader.language() == Language::PostgreSql) {
        // A server that was promoted has replicas, and is nobody's any more: what the other role has is no answer.
        if (std::exchange(m_role, server.role) != server.role) m_roleNotBefore = {};
        auto failed = co_await readReplication(server.role == ServerIdentity::Role::Replica, stop);
        if (failed) co_return failed;
        server.replicas = m_replicas;
        server.master = m_master;
        server.behind = m_behind;
    }
    const bool mySql = m_reader.language() == Language::MariaDb || m_reader.language() == Language::MySql;
    if (mySql) {
        auto failed = co_await readSources(stop);
        if (failed) co_return failed;
        server.role = m_role;
        server.replicas = m_replicas;
        server.master = m_master;
        server.behindSeconds = m_behindSeconds;
    }
    look.server = std::move(server);
    co_return std::nullopt;
}

// A user without pg_read_all_stats sees no state of other users' sessions, replication's too: then nothing is known.
QCoro::Task<SqlWatcher::Failed> SqlWatcher::readReplication(bool replica, std::stop_token stop) {
    if (runtime().monotonic() < m_roleNotBefore) co_return std::nullopt;
    const auto answer = co_await m_reader.ask(replica ? kReplay : kReplicas, std::move(stop));
    if (!answer && answer.error().connectionLost()) co_return answer.error();
    m_roleNotBefore = runtime().monotonic() + (answer ? kRoleAgain : kRefusedAgain);
    m_replicas.clear();
    m_master.clear();
    m_behind = -1;
    for (std::size_t at = 0; answer && at < answer->rows.size(); ++at) {
        if (replica) {
            m_master = answer->text(at, Master);
            m_behind = answer->number(at, NotShown).value_or(-1);
        } else {
            m_replicas.push_back({answer->text(at, Standby), answer->text(at, Phase) == "streaming",
                                  answer->number(at, NotReplayed).value_or(-1)});
        }
    }
    co_return std::nullopt;
}

QCoro::Task<SqlWatcher::Failed> SqlWatcher::readSources(std::stop_token stop) {
    if (runtime().monotonic() < m_roleNotBefore) co_return std::nullopt;
    const auto source = co_await m_reader.ask("SHOW REPLICA STATUS", stop);
    if (!source && source.error().connectionLost()) co_return source.error();
    m_roleNotBefore = runtime().monotonic() + (source ? kRoleAgain : kRefusedAgain);
    m_role = !source                ? ServerIdentity::Role::Unknown // no right, or an older server
             : source->rows.empty() ? ServerIdentity::Role::Master
                                    : ServerIdentity::Role::Replica;
    m_replicas.clear();
    m_master.clear();
    m_behindSeconds = -1;
    if (m_role == ServerIdentity::Role::Replica && source->rows.front().size() > SecondsBehind) {
        m_master = source->text(0, SourceHost) + ':' + source->text(0, SourcePort);
        // NULL while it does not copy: then nobody knows.
        m_behindSeconds = source->number(0, SecondsBehind).value_or(-1);
    }
    const auto dumps = co_await m_reader.ask(kDumps, stop);
    if (!dumps && dumps.error().connectionLost()) co_return dumps.error();
    for (std::size_t at = 0; dumps && at < dumps->rows.size(); ++at) {
        const QByteArray address = dumps->text(at, 0); // with the port that its connection comes from
        m_replicas.push_back({address.first(std::max<qsizetype>(address.lastIndexOf(':'), 0)), true, -1});
    }
    co_return std::nullopt;
}

QCoro::Task<SqlWatcher::Failed> SqlWatcher::readCatalogue(std::stop_token stop) {
    if (runtime().monotonic() < m_catalogueNotBefore) co_return std::nullopt;
    // Tables by their name, and the one that the URL names.
    const QByteArray own = m_named.table.sliced(m_named.table.lastIndexOf('.') + 1);
    const QByteArray query = catalogueQuery(m_reader.language()) + QByteArray::number(kMostTables);
    const auto answer = co_await m_reader.askAbout(query, own, std::move(stop));
    if (!answer) co_return answer.error();
    m_tables.clear();
    m_tablesBound = answer->rows.size() < std::size_t(kMostTables) ? 0 : kMostTables;
    m_leftOut = "…";
    int others = 0;
    for (std::size_t at = 0; at < answer->rows.size(); ++at) {
        TableName table{answer->text(at, 0), answer->text(at, 1), {}};
        for (const QByteArray& column : answer->text(at, 2).split(','))
            table.columns.push_back(column);
        const bool known = m_named.is(table) || isOfQuartz(table) ||
                           std::ranges::any_of(tableFormats(), [&](const auto& format) { return format.isIts(table); });
        if (!known && !hasRowNames(table)) continue; // nothing in it can be read as a lock
        if (known || ++others <= kMostOthers) {
            m_tables.push_back(std::move(table));
        } else if (m_reader.language() == Language::PostgreSql && m_tablesBound == 0) {
            m_tablesBound = kMostOthers;
            m_leftOut = table.table;
        }
    }
    // A database without a lock table may get one at any time: the first lock makes it.
    if (!m_tables.empty()) m_catalogueNotBefore = runtime().monotonic() + kCatalogueAgain;
    co_return std::nullopt;
}

void SqlWatcher::noteMissing(Look& look) const {
    if (!m_named.isGiven()) return;
    const auto table = std::ranges::find_if(m_tables, [this](const TableName& each) { return m_named.is(each); });
    const QByteArray column = table == m_tables.end() ? QByteArray() : m_named.missingIn(*table);
    if (table != m_tables.end() && column.isEmpty()) return;
    look.notes.push_back(
        {WatchNote::Kind::TableMissing, 0, {column.isEmpty() ? m_named.table : m_named.table + '.' + column}});
}

std::set<QByteArray> SqlWatcher::namesAskedFor() const {
    std::set<QByteArray> names;
    for (const QByteArray& glob : options().names.match)
        if (std::optional<QByteArray> name = plainTextOf(glob)) names.insert(*std::move(name));
    return names;
}

QCoro::Task<SqlWatcher::Failed> SqlWatcher::readTables(Look& look, Depth depth, std::stop_token stop) {
    noteMissing(look);
    if (m_tablesBound > 0) {
        look.notes.push_back({WatchNote::Kind::ListBounded, m_tablesBound, {m_leftOut}});
        // A watch goes on with what it can see; one look alone must not say that there are no others.
        if (depth == Depth::Everything) look.complete = false;
    }
    const std::vector<TableName> tables = m_tables;
    const std::set<QByteArray> wanted = namesAskedFor();
    for (const TableName& table : tables) {
        const bool named = m_named.is(table);
        const auto format =
            std::ranges::find_if(tableFormats(), [&](const TableFormat& each) { return each.isIts(table); });
        if (named ? !m_named.missingIn(table).isEmpty() : format == tableFormats().end()) continue;
        const QByteArray query = named ? queryOf(m_named, m_reader.language(), table, kMostRows)
                                       : format->query(m_reader.language(), table, kMostRows);
        m_askedFor.emplace_back(look.locks.size(), runtime().monotonic());
        const auto answer = co_await m_reader.ask(query, stop);
        const QByteArray place = table.schema.isEmpty() ? table.table : table.schema + '.' + table.table;
        if (!answer && answer.error().connectionLost()) co_return answer.error();
        if (!answer && answer.error().kind == Error::Kind::WaitExceeded) { // somebody has it to itself
            std::ranges::move(m_lastRows.notKnown(place, backendOf(m_reader.language())),
                              std::back_inserter(look.locks));
            // A watch looks again; one look alone must not say that there are no others.
            if (depth == Depth::Everything) look.complete = false;
            continue;
        }
        if (!answer) { // gone meanwhile, or no right to read it
            if (answer.error().kind == Error::Kind::MissingTable)
                m_catalogueNotBefore = {};
            else
                m_refused.insert(place);
            continue;
        }
        look.looked += std::int64_t(answer->rows.size());
        look.complete = look.complete && answer->rows.size() < std::size_t(kMostRows);
        for (std::size_t at = 0; at < answer->rows.size(); ++at) {
            auto row = named ? readNamedRow(m_named, *answer, at, place) : format->read(*answer, at, place);
            if (!row) continue;
            if (format != tableFormats().end() && row->format == kIntLockTable.format) nameIntLock(*row, wanted);
            row->backend = backendOf(m_reader.language());
            m_lastRows.note(place, *row);
            look.locks.push_back(std::move(*row));
        }
        m_lastRows.read(place);
    }
    co_return std::nullopt;
}

// A lease ends no later than what was left of it after the question: the answer's way, and the questions that follow,
// have run down its time since.
void SqlWatcher::runDownSince(std::vector<LockRow>& locks) const {
    const Nanos now = runtime().monotonic();
    for (std::size_t i = 0; i < m_askedFor.size(); ++i) {
        const std::size_t next = i + 1 < m_askedFor.size() ? m_askedFor[i + 1].first : locks.size();
        for (std::size_t at = m_askedFor[i].first; at < next; ++at)
            runDown(locks[at], now - m_askedFor[i].second);
    }
}

QCoro::Task<SqlWatcher::Failed> SqlWatcher::readSessions(Look& look, std::stop_token stop) {
    if (m_reader.language() == Language::Sqlite) co_return std::nullopt;
    const std::vector<TableName> tables = m_tables;
    std::set<QByteArray> names = namesAskedFor();
    // Its waiter named it, and may have it by now: then nothing else tells that it is held.
    names.insert(m_namedLocks.begin(), m_namedLocks.end());
    std::expected<SessionLocks, Error> found;
    if (m_reader.language() == Language::PostgreSql)
        found = co_await readPostgreSqlSessions(m_reader, m_sessions, tables, stop);
    else
        found = co_await readMariaDbSessions(m_reader, m_sessions, std::move(names), stop);
    m_sessions.names.lookEnded();
    if (!found && found.error().connectionLost()) co_return found.error();
    if (!found) {
        look.notes.push_back({WatchNote::Kind::SessionsRefused, 0, {}});
        co_return std::nullopt;
    }
    m_namedLocks.clear();
    for (const LockRow& row : found->rows)
        if (row.format == kNamedLockFormat && !row.raw.empty()) m_namedLocks.insert(row.raw.front().key);
    const auto bounded = [](const WatchNote& note) { return note.kind == WatchNote::Kind::SessionsBounded; };
    look.complete = look.complete && std::ranges::none_of(found->notes, bounded);
    std::ranges::move(found->rows, std::back_inserter(look.locks));
    std::ranges::move(found->notes, std::back_inserter(look.notes));
    m_refused.insert(found->refused.begin(), found->refused.end());
    co_return std::nullopt;
}

QCoro::Task<std::expected<LookingWatcher::Look, WatchTrouble>> SqlWatcher::look(Depth depth, Progress /*progress*/,
                                                                                std::stop_token stop) {
    const Nanos began = runtime().monotonic();
    const auto opened = co_await m_reader.open(stop);
    if (!opened) co_return std::unexpected(troubleOf(opened.error()));
    const std::uint64_t sent = m_reader.queriesSent();
    Look found;
    m_refused.clear();
    m_askedFor.clear();
    Failed failed = co_await readIdentity(found, stop);
    if (!failed) failed = co_await readCatalogue(stop);
    if (!failed) failed = co_await readTables(found, depth, stop);
    if (!failed) failed = co_await readSessions(found, stop);
    const Nanos onTheWay = std::int64_t(m_reader.queriesSent() - sent) * m_way;
    spent(std::max<Nanos>(runtime().monotonic() - began - onTheWay, 0ns));
    if (failed) co_return std::unexpected(troubleOf(*failed));
    if (!m_refused.empty()) {
        constexpr std::size_t kExamples = 5;
        WatchNote note{WatchNote::Kind::KeysRefused, std::int64_t(m_refused.size()), {}};
        for (const QByteArray& table : m_refused)
            if (note.examples.size() < kExamples) note.examples.push_back(table);
        found.notes.push_back(std::move(note));
    }
    runDownSince(found.locks);
    tellApart(found.locks);
    found.passed = found.there = found.looked;
    co_return found;
}

} // namespace lockscope::inspect
