// SPDX-License-Identifier: Apache-2.0
// Tables of a MariaDB that statements wait for: an ALTER TABLE behind an open transaction, and all that queue behind
// it.
#include "inspect/sql/sessions.h"
#include "inspect/text.h"

#include <QRegularExpression>
#include <algorithm>

namespace lockscope::inspect {

namespace {

using sql::Table;

// In the order of the queue.
constexpr const char* kWaiters =
    "SELECT ID, COALESCE(USER, ''), COALESCE(HOST, ''), LEFT(COALESCE(INFO, ''), 300), "
    "CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 - TIME_MS AS SIGNED), COALESCE(DB, '') FROM information_schema.PROCESSLIST "
    "WHERE STATE LIKE 'Waiting for table%lock' ORDER BY TIME_MS DESC, ID";
// All connections, and since when their transactions run.
constexpr const char* kSessions =
    "SELECT p.ID, COALESCE(p.USER, ''), CONCAT(COALESCE(p.HOST, ''), "
    "IF(t.trx_id IS NOT NULL AND p.COMMAND = 'Sleep', ', idle in transaction', '')), "
    "LEFT(COALESCE(p.INFO, ''), 200), CAST(UNIX_TIMESTAMP(t.trx_started) * 1000 AS SIGNED) "
    "FROM information_schema.PROCESSLIST p LEFT JOIN information_schema.INNODB_TRX t ON t.trx_mysql_thread_id = p.ID "
    "WHERE p.ID <> CONNECTION_ID() ORDER BY p.ID";
enum SessionColumn : std::size_t { Id, User, Host, Statement, Since, Database };

// Either of two sources tells who holds which table. Both are off unless somebody wants them.
constexpr const char* kBySchema =
    "SELECT CONCAT(m.OBJECT_SCHEMA, '.', m.OBJECT_NAME), m.LOCK_TYPE, m.LOCK_STATUS, t.PROCESSLIST_ID "
    "FROM performance_schema.metadata_locks m JOIN performance_schema.threads t ON t.THREAD_ID = m.OWNER_THREAD_ID "
    "WHERE m.OBJECT_TYPE = 'TABLE' AND t.PROCESSLIST_ID IS NOT NULL ORDER BY t.PROCESSLIST_ID";
constexpr const char* kByPlugin =
    "SELECT CONCAT(TABLE_SCHEMA, '.', TABLE_NAME), REPLACE(LOCK_MODE, 'MDL_', ''), 'GRANTED', THREAD_ID "
    "FROM information_schema.METADATA_LOCK_INFO WHERE LOCK_TYPE = 'Table metadata lock' ORDER BY THREAD_ID";
enum LockColumn : std::size_t { Place, Mode, Status, Owner };

constexpr std::size_t kMostShown = 64; // of the blocked sessions, in the lock's content: the queue has them all
constexpr std::size_t kMostCandidates = kMostShown + 20;

SeenSession sessionIn(const Table& table, std::size_t at) {
    return {.number = table.text(at, Id),
            .user = table.text(at, User),
            .address = table.text(at, Host),
            .statement = table.text(at, Statement)};
}

/// Statements of the first kind change rows, or read: any number of them use a table at a time.
const char* modeOf(const QByteArray& mode) {
    const bool together = mode.startsWith("SHARED") && mode != "SHARED_NO_WRITE" && mode != "SHARED_NO_READ_WRITE" &&
                          mode != "SHARED_UPGRADABLE";
    return together ? "shared" : "exclusive";
}

/// Whether LOCK TABLES has asked for it: the session keeps the table until it unlocks it, whatever its transactions do.
bool isOfLockTables(const QByteArray& mode) {
    return mode == "SHARED_NO_READ_WRITE" || mode == "SHARED_READ_ONLY";
}

/// The tables that a statement names, in its order: "shop.goods".
std::vector<QByteArray> tablesIn(const QByteArray& statement, const QByteArray& database) {
    static const QRegularExpression kTable(QStringLiteral("\\b(?:FROM|JOIN|UPDATE|INTO|TABLES?|TRUNCATE|ON)\\s+"
                                                          "(?:(?:LOW_PRIORITY|IGNORE|IF|NOT|EXISTS|TABLE)\\s+)*"
                                                          "(?:`([^`]+)`|([\\w$]+))(?:\\.(?:`([^`]+)`|([\\w$]+)))?"),
                                           QRegularExpression::CaseInsensitiveOption |
                                               QRegularExpression::UseUnicodePropertiesOption);
    std::vector<QByteArray> tables;
    auto matches = kTable.globalMatch(QString::fromUtf8(statement));
    while (matches.hasNext()) {
        const QRegularExpressionMatch match = matches.next();
        const QByteArray first = (match.captured(1) + match.captured(2)).toUtf8();
        const QByteArray second = (match.captured(3) + match.captured(4)).toUtf8();
        tables.push_back(second.isEmpty() ? database + '.' + first : first + '.' + second);
    }
    return tables;
}

/// The holders and the waiters of tables, as far as the server lists them.
struct Listed {
    struct Use {
        QByteArray session, mode;
    };
    std::map<QByteArray, std::vector<Use>> holders; ///< by table
    struct Wish {
        QByteArray table, mode;
    };
    std::map<QByteArray, Wish> wishes; ///< by session

    void add(const Table& table) {
        for (std::size_t at = 0; at < table.rows.size(); ++at) {
            const QByteArray place = table.text(at, Place), mode = table.text(at, Mode), owner = table.text(at, Owner);
            if (table.text(at, Status) == "GRANTED")
                holders[place].push_back({owner, mode});
            else
                wishes[owner] = {place, mode};
        }
    }
    bool heldBesides(const QByteArray& table, const QByteArray& session) const {
        const auto found = holders.find(table);
        return found != holders.end() &&
               std::ranges::any_of(found->second, [&](const Use& use) { return use.session != session; });
    }
};

struct WantedTable {
    LockRow row;
    std::set<QByteArray> waiting;
    std::int64_t firstSince = INT64_MAX;
};

class Tables {
public:
    Tables(SessionNames& names, const Listed& listed) : m_names(names), m_listed(listed) {}

    void addWaiter(const Table& waiters, std::size_t at) {
        const SeenSession session = sessionIn(waiters, at);
        Listed::Wish wish{{}, "waits"};
        bool told = false; // else the statement says it, as far as it can be read
        if (const auto listed = m_listed.wishes.find(session.number); listed != m_listed.wishes.end()) {
            wish = listed->second;
            told = true;
        } else {
            const QByteArray database = waiters.text(at, Database);
            const std::vector<QByteArray> tables = tablesIn(session.statement, database);
            const auto held = std::ranges::find_if(
                tables, [&](const QByteArray& table) { return m_listed.heldBesides(table, session.number); });
            told = held != tables.end();
            wish.table = told ? *held : tables.empty() ? database + ".?" : tables.front();
        }
        WantedTable& wanted = m_all[wish.table];
        LockRow& row = wanted.row;
        if (row.name.isEmpty()) {
            row = sessionLock(wish.table, "mariadb-table", sql::Language::MariaDb);
            row.state = LockRow::State::Held;
            row.certainty = told ? Certainty::Certain : Certainty::Likely;
        }
        Party waiter = sessionParty(m_names, session, modeOf(wish.mode));
        waiter.sinceWallMs = waiters.number(at, Since);
        wanted.firstSince = std::min(wanted.firstSince, waiter.sinceWallMs.value_or(INT64_MAX));
        inspect::addWaiter(row, std::move(waiter));
        wanted.waiting.insert(session.number);
        m_waiting.insert(session.number);
        if (row.raw.size() < kMostShown)
            row.raw.push_back({wish.table, "blocked session", {}, readable(wish.mode + " · " + m_names.of(session))});
    }

    /// `sessions`: all connections.
    std::vector<LockRow> finished(const Table& sessions) {
        std::vector<LockRow> rows;
        std::map<QByteArray, std::size_t> places;
        for (std::size_t at = 0; at < sessions.rows.size(); ++at)
            places.emplace(sessions.text(at, Id), at);
        for (auto& [table, wanted] : m_all) {
            addHolders(wanted, sessions, places);
            if (wanted.row.holders.empty()) addCandidates(wanted, sessions);
            rows.push_back(std::move(wanted.row));
        }
        return rows;
    }

private:
    void addHolders(WantedTable& wanted, const Table& sessions, const std::map<QByteArray, std::size_t>& places) {
        const auto held = m_listed.holders.find(wanted.row.name);
        if (held == m_listed.holders.end()) return;
        std::set<QByteArray> told = wanted.waiting; // a statement that waits for more of a table has some of it
        for (const Listed::Use& use : held->second) {
            if (!told.insert(use.session).second) continue;
            SeenSession session{.number = use.session};
            if (const auto place = places.find(use.session); place != places.end()) {
                session = sessionIn(sessions, place->second);
                session.transactionSinceMs = sessions.number(place->second, Since);
            }
            Party holder = sessionParty(m_names, session, modeOf(use.mode));
            if (const auto began = session.transactionSinceMs) wanted.row.entries.push_back({use.session, {}, *began});
            // The server's own word for it: a session that shares a table may read it, or write in it.
            if (wanted.row.raw.size() < kMostCandidates)
                wanted.row.raw.push_back(
                    {wanted.row.name, "session that has it", {}, readable(use.mode + " · " + m_names.of(session))});
            if (isOfLockTables(use.mode)) wanted.row.format = kLockTablesFormat;
            if (wanted.row.holders.empty()) wanted.row.mode = holder.mode;
            wanted.row.holders.push_back(std::move(holder));
        }
        shareAmongHolders(wanted.row);
    }

    /// Where nobody tells who holds a table: the transactions that were open before anybody waited.
    void addCandidates(WantedTable& wanted, const Table& sessions) {
        for (std::size_t at = 0; at < sessions.rows.size() && wanted.row.raw.size() < kMostCandidates; ++at) {
            const auto since = sessions.number(at, Since);
            if (!since || *since > wanted.firstSince || m_waiting.contains(sessions.text(at, Id))) continue;
            const SeenSession session = sessionIn(sessions, at);
            wanted.row.raw.push_back({wanted.row.name,
                                      "open transaction, may hold it",
                                      {},
                                      readable(m_names.of(session) + ' ' + session.address)});
        }
    }

    SessionNames& m_names;
    const Listed& m_listed;
    std::map<QByteArray, WantedTable> m_all;
    std::set<QByteArray> m_waiting;
};

} // namespace

SessionsRead readMariaDbTables(sql::Reader& reader, SessionNames& names, std::stop_token stop) {
    SessionLocks found;
    const auto waiters = co_await askBounded(reader, kWaiters, found, stop);
    if (!waiters) co_return std::unexpected(waiters.error());
    if (waiters->rows.empty()) co_return found;
    Listed listed;
    for (const char* const source : {kBySchema, kByPlugin}) {
        const auto locks = co_await askBounded(reader, source, found, stop);
        if (!locks && locks.error().connectionLost()) co_return std::unexpected(locks.error());
        if (!locks || locks->rows.empty()) continue;
        listed.add(*locks);
        break;
    }
    const auto sessions = co_await askBounded(reader, kSessions, found, stop);
    if (!sessions) co_return std::unexpected(sessions.error());
    Tables tables(names, listed);
    for (std::size_t at = 0; at < waiters->rows.size(); ++at)
        tables.addWaiter(*waiters, at);
    found.rows = tables.finished(*sessions);
    co_return found;
}

} // namespace lockscope::inspect
