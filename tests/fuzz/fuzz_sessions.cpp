// SPDX-License-Identifier: Apache-2.0
// The readers of databases' sessions, with answers that no server gave.
#include "driver.h"
#include "inspect/sql/sessions.h"
#include "lock_rows.h"
#include "runtime/virtual_runtime.h"

using namespace lockscope;
using namespace lockscope::fuzz;
using namespace lockscope::inspect;

namespace {

const QByteArray kNext = "--\n", kRefused = "!\n"; ///< between two answers; instead of one

QByteArray line(const QByteArrayList& cells) {
    return cells.join('\t') + '\n';
}

/// Inputs are lines: the first one names the language, then answer follows answer, in the order of the questions. A row
/// is a line of cells with tabs between them, "\N" for NULL.
std::vector<QByteArray> answersOfServers() {
    const QByteArrayList ann{"psql", "ann", "127.0.0.1, idle in transaction", "last statement: SELECT 'x'"};
    const QByteArrayList bob{"batch", "bob", "10.0.0.7", "UPDATE goods SET n = 'it''s' WHERE id = 7"};
    const QByteArray advisory =
        line(QByteArrayList{"0", "77", "1", "ExclusiveLock", "1", "4711", "\\N", "\\N"} + ann) +
        line(QByteArrayList{"0", "77", "1", "ExclusiveLock", "0", "4712", "1790000000000", "\\N"} + bob) +
        line(QByteArrayList{"1", "2", "2", "ShareLock", "1", "\\N", "\\N", "two-phase"} + ann);
    const QByteArray blocked =
        line(QByteArrayList{"4712", "transactionid", "goods", "0", "7", "ShareLock", "1790000000000", "4711,0", "812"} +
             bob) +
        line(QByteArrayList{"4713", "tuple", "goods", "0", "7", "ExclusiveLock", "1790000000500", "4711,4712", ""} +
             ann) +
        line(QByteArrayList{"4714", "relation", "orders", "\\N", "\\N", "AccessShareLock", "\\N", "\\N", ""} + bob);
    const QByteArray locked = line({"nightly", "1", "4711"}) + line({"(0,7)", "4711", "nightly"});
    const QByteArray sessions =
        line(QByteArrayList{"4711", "1789999990000"} + ann) + line(QByteArrayList{"4712", "\\N"} + bob);
    const QByteArray prepared = line({"812", "two-phase", "ann", "1789999990000"});
    const QByteArray keys = line({"(0,7)", "813", "{\"id\": 7, \"name\": \"nightly\"}"});
    const QByteArray sharing = line({"812", "4711"}) + line({"814", "4715"}) + line({"815", "\\N"});
    const QByteArray held = line(QByteArrayList{"orders", "AccessExclusiveLock", "4711", "1789999990000"} + ann) +
                            line(QByteArrayList{"goods", "ShareLock", "4712", "1789999990000"} + bob);
    const QByteArray named =
        line({"orders", "GRANTED", "8", "ann", "10.0.0.5:51234", "", "\\N"}) +
        line({"orders", "PENDING", "9", "bob", "10.0.0.7:51", "SELECT GET_LOCK('orders', 9)", "1790000000000"});
    const QByteArray rows =
        line({"9", "8", "`shop`.`goods`", "PRIMARY", "7", "X", "1790000000000", "UPDATE goods", "SELECT 1",
              "1789999990000", "bob", "10.0.0.7:51", "ann", "10.0.0.5:1, idle in transaction"}) +
        line({"10", "\\N", "`shop`.`goods`", "by_name", "'a', 7", "S", "\\N", "", "", "\\N", "", "", "", ""});
    const QByteArray running = line({"8", "4242", "3", "1", "1789999990000", "", "ann", "10.0.0.5:1"});
    const QByteArray tableWaiters =
        line({"9", "bob", "10.0.0.7:51", "ALTER TABLE `goods` ADD x INT", "1790000000000", "shop"});
    const QByteArray tableLocks =
        line({"shop.goods", "SHARED_READ", "GRANTED", "8"}) + line({"shop.goods", "EXCLUSIVE", "PENDING", "9"});
    const QByteArray tableSessions = line({"8", "ann", "10.0.0.5:1", "", "1789999990000"}) +
                                     line({"9", "bob", "10.0.0.7:51", "ALTER TABLE goods", "\\N"});
    const QByteArray yes = line({"1"}), no = line({"0"});
    const auto input = [](const char* language, const QByteArrayList& answers) {
        return QByteArray(language) + '\n' + answers.join(kNext);
    };
    return {
        input("postgresql", {advisory, blocked, locked, sessions, prepared, keys, sharing, held}),
        input("postgresql", {advisory, "", "", held}),
        input("postgresql", {"", blocked, kRefused, sessions, kRefused, kRefused, kRefused, held}),
        input("mariadb", {yes, named, rows, running, tableWaiters, yes, tableLocks, tableSessions}),
        input("mariadb", {no, line({"", "PENDING", "9", "bob", "h:1", "SELECT GET_LOCK('orders', 9)", "1"}), no,
                          line({"8"}), line({"ann", "10.0.0.5:1", "SELECT 1"}), rows, running, tableWaiters, no, yes,
                          tableLocks, tableSessions}),
        input("mariadb", {no, "", yes, named, rows, kRefused, kRefused}),
        input("mysql", {yes, named, rows, running}),
    };
}

const std::vector<QByteArray> kWords{
    "\t",
    "\n",
    "--\n",
    "!\n",
    "\\N",
    "0",
    "1",
    "-1",
    "2147483648",
    "4711",
    "4712",
    "4711,4712",
    "goods",
    "`shop`.`goods`",
    "ShareLock",
    "GRANTED",
    "PENDING",
    "relation",
    "tuple",
    "mysql\n",
    "transactionid",
    "PRIMARY",
    "ExclusiveLock",
    "GET_LOCK('",
    "{\"name\": \"",
    "it''s",
    "\"",
    "SHARED_NO_READ_WRITE",
    "'",
    "$$",
    "/*",
    "EXCLUSIVE",
    "9223372036854775807",
    "\xff",
    "\xe2\x80\xae",
    QByteArray("\0", 1),
};

constexpr std::size_t kColumns = 24; ///< more than any question asks for

/// A server that answers with what an input says, whatever it is asked.
class Answers final : public sql::Reader {
public:
    explicit Answers(const QByteArray& input) {
        const qsizetype end = std::max<qsizetype>(input.indexOf('\n'), 0);
        const QByteArray language = input.first(end);
        m_language = language == "postgresql" ? sql::Language::PostgreSql
                     : language == "mysql"    ? sql::Language::MySql
                                              : sql::Language::MariaDb;
        qsizetype at = std::min(end + 1, input.size());
        while (at < input.size()) {
            qsizetype next = input.indexOf(kNext, at);
            if (next < 0) next = input.size();
            m_answers.push_back(input.sliced(at, next - at));
            at = std::min(next + kNext.size(), input.size());
        }
    }
    Runtime& runtime() override { return m_runtime; }
    sql::Language language() const override { return m_language; }
    QString where() const override { return QStringLiteral("127.0.0.1:5432/shop"); }
    std::uint64_t queriesSent() const override { return m_asked; }
    sql::Answer<void> open(std::stop_token) override { co_return std::expected<void, sql::Error>(); }
    sql::Answer<sql::Table> select(QByteArray query, std::vector<QByteArray>, std::stop_token) override {
        const QByteArray text = m_asked < m_answers.size() ? m_answers[m_asked] : QByteArray();
        ++m_asked;
        sql::Table table;
        if (text.startsWith(kRefused)) {
            sql::Error error;
            error.kind = sql::Error::Kind::Refused;
            co_return std::unexpected(error);
        }
        for (const QByteArray& row : text.split('\n')) {
            if (row.isEmpty()) continue;
            auto& cells = table.rows.emplace_back();
            for (const QByteArray& cell : row.split('\t'))
                cells.push_back(cell == "\\N" ? std::nullopt : std::optional(cell));
            cells.resize(kColumns);
        }
        // Every server answers these with one row.
        const bool one = query.startsWith("SELECT COUNT(*)") || query.startsWith("SELECT IS_USED_LOCK");
        if (one && table.rows.empty()) table.rows.emplace_back(kColumns);
        co_return table;
    }

private:
    VirtualScheduler m_scheduler;
    VirtualRuntime m_runtime{m_scheduler, 1};
    sql::Language m_language = sql::Language::MariaDb;
    std::vector<QByteArray> m_answers;
    std::size_t m_asked = 0;
};

class SessionsTarget final : public Target {
public:
    const char* name() const override { return "fuzz_sessions"; }
    std::vector<QByteArray> seeds() override { return answersOfServers(); }
    QByteArray mutate(const QByteArray& input, std::span<const QByteArray> others, Chance& chance) override {
        return m_mutator.mutate(input, others, chance);
    }
    Outcome check(const QByteArray& input) override {
        Answers reader(input);
        SessionMemory memory;
        memory.names = SessionNames(reader.language());
        const auto found = read(reader, memory);
        if (!found) return Outcome::wrong(QStringLiteral("the reader waits for what nobody does"));
        if (!*found) return Outcome::fine("refused");
        QByteArray kind = QByteArray::number(qsizetype(std::min<std::size_t>((*found)->rows.size(), 4)));
        for (const LockRow& row : (*found)->rows) {
            if (const auto wrong = wrongIn(row))
                return Outcome::wrong(QString::fromLatin1(row.format) + QStringLiteral(": ") + *wrong);
            kind += ' ' + row.format + char('0' + int(row.state)) +
                    char('0' + std::min<int>(9, int(row.holders.size()))) + (row.waiters ? "w" : "");
            m_rows += 1;
        }
        return Outcome::fine(kind.left(120));
    }
    std::optional<QString> idle() const override {
        return m_rows > 100 ? std::nullopt : std::optional(QStringLiteral("%1 rows").arg(m_rows));
    }

private:
    using Found = std::expected<SessionLocks, sql::Error>;
    /// The fake server answers at once, so the coroutine is over when it returns; nullopt: it is not.
    static std::optional<Found> read(Answers& reader, SessionMemory& memory) {
        std::optional<Found> found;
        const auto run = [&]() -> QCoro::Task<> {
            const bool postgres = reader.language() == sql::Language::PostgreSql;
            const std::vector<TableName> tables{{"public", "shedlock", {"name", "lock_until"}},
                                                {"public", "qrtz_locks", {"sched_name", "lock_name"}}};
            std::set<QByteArray> wanted{"orders"};
            Found answer;
            if (postgres)
                answer = co_await readPostgreSqlSessions(reader, memory, tables, {});
            else
                answer = co_await readMariaDbSessions(reader, memory, std::move(wanted), {});
            found = std::move(answer);
        };
        [[maybe_unused]] const auto over = run();
        return found;
    }

    Mutator m_mutator{kWords};
    int m_rows = 0;
};

} // namespace

int main(int argc, char** argv) {
    SessionsTarget target;
    return fuzz::run(argc, argv, target);
}
