// SPDX-License-Identifier: Apache-2.0
#include "inspect/kept_by.h"
#include "inspect/sql/held_tables.h"
#include "inspect/sql/known_keys.h"
#include "inspect/sql/prepared.h"
#include "inspect/sql/statement_text.h"
#include "inspect/sql/watcher.h"
#include "runtime/event_loop_runtime.h"

#include <QTest>
#include <qcorotask.h>

using namespace lockscope;
using namespace lockscope::inspect;
using sql::Language;
using sql::Table;

namespace {

using Row = std::vector<std::optional<QByteArray>>;

/// A database that answers each question by the first of its answers whose mark stands in the question.
class Answers : public sql::Reader {
public:
    explicit Answers(Language language) : m_language(language) {}

    Runtime& runtime() override { return m_runtime; }
    Language language() const override { return m_language; }
    sql::Answer<Table> select(QByteArray query, std::vector<QByteArray> /*values*/, std::stop_token /*stop*/) override {
        std::expected<Table, sql::Error> answer = Table();
        if (query.startsWith("SELECT COUNT(*)")) answer->rows.push_back({"0"});
        asked.push_back(query);
        if (!refused.isEmpty() && query.contains(refused))
            co_return std::unexpected(sql::Error{sql::Error::Kind::Refused, {}, QStringLiteral("no right")});
        for (const auto& [mark, rows] : answers) {
            if (!query.contains(mark)) continue;
            answer->rows = rows;
            break;
        }
        co_return answer;
    }
    sql::Answer<void> open(std::stop_token /*stop*/) override { co_return std::expected<void, sql::Error>(); }
    QString where() const override { return QStringLiteral("db:1/shop"); }
    std::uint64_t queriesSent() const override { return asked.size(); }

    std::vector<std::pair<QByteArray, std::vector<Row>>> answers;
    std::vector<QByteArray> asked;
    QByteArray refused; ///< a mark of questions that this user may not ask; empty: none

private:
    EventLoopRuntime m_runtime;
    Language m_language;
};

bool saysBounded(const std::vector<WatchNote>& notes) {
    return std::ranges::any_of(notes,
                               [](const WatchNote& note) { return note.kind == WatchNote::Kind::SessionsBounded; });
}

/// A waiter of InnoDB in the columns of the question. `blocker`: empty for another waiter.
Row wait(const char* waiter, const char* blocker, const char* data) {
    Row row{waiter, {},    "`shop`.`goods`", "PRIMARY", data, "X", "1790000000000", "UPDATE a", "",
            {},     "ann", "host:1",         {},        {}};
    if (*blocker != 0) {
        row[1] = blocker;
        row[9] = "1789999990000";
        row[12] = "bob";
        row[13] = "host:2, idle in transaction";
    }
    return row;
}

} // namespace

/// Answers of databases about their sessions, read without a server: those that none can be made to give here, and
/// those of MySQL, of which there is no server.
class TestSessionRows : public QObject {
    Q_OBJECT
private:
    static SessionLocks readInnoDb(Answers& answers, std::set<QByteArray> told = {}) {
        SessionMemory memory;
        memory.transactions = std::move(told);
        auto found = QCoro::waitFor(readMariaDbSessions(answers, memory, {}, {}));
        return found.value_or(SessionLocks());
    }

private Q_SLOTS:
    void rowsOfInnoDb_data() {
        QTest::addColumn<int>("language");
        QTest::addColumn<QByteArray>("mark"); // of the question about waiters
        QTest::addColumn<QByteArray>("backend");
        QTest::newRow("mariadb") << int(Language::MariaDb) << QByteArray("INNODB_LOCK_WAITS") << QByteArray("mariadb");
        QTest::newRow("mysql") << int(Language::MySql) << QByteArray("data_lock_waits") << QByteArray("mysql");
    }
    void rowsOfInnoDb() {
        QFETCH(int, language);
        QFETCH(QByteArray, mark);
        QFETCH(QByteArray, backend);
        Answers answers{Language(language)};
        answers.answers = {
            // 12 waits for 11, 13 for 11 and behind 12; nobody knows a holder of the other row.
            {mark,
             {wait("12", "11", "'pears'"), wait("13", "11", "'pears'"), wait("13", "", "'pears'"),
              wait("14", "", "'plums'")}},
            // 11 stands there already, 15 has rows that nobody wants.
            {"trx_rows_locked > 0",
             {{"11", "901", "2", "1", "1789999990000", "", "bob", "host:2", "RUNNING"},
              {"15", "905", "3", "1", "1789999995000", "", "eve", "host:5, idle in transaction", "RUNNING"},
              {"16", "906", "1", "1", "1789999996000", "", "jim", "host:6", "LOCK WAIT"}}}};
        const SessionLocks found = readInnoDb(answers);
        QCOMPARE(found.rows.size(), 3u);
        const LockRow &pears = found.rows[0], &plums = found.rows[1], &quiet = found.rows[2];
        QCOMPARE(pears.name, QByteArray("shop.goods:'pears'"));
        QCOMPARE(pears.backend, backend);
        QCOMPARE(pears.holders.size(), 1u);
        QCOMPARE(pears.holders[0].client, QByteArray("bob \u00b7 11"));
        QVERIFY(!pears.holders[0].sinceWallMs); // its transaction began then, and locked the row at any time since
        QCOMPARE(pears.holders[0].about,
                 QByteArray("host:2, idle in transaction, transaction open since 2026-09-21 14:13:10Z"));
        QCOMPARE(pears.entries, (std::vector<Entry>{{"11", {}, 1'789'999'990'000}}));
        QCOMPARE(*pears.waiterCount, 2);
        QCOMPARE(pears.waiters->at(1).client, QByteArray("ann \u00b7 13"));
        QCOMPARE(pears.waiters->at(1).position, std::optional(1));
        QVERIFY(plums.holders.empty() && plums.waiterCount == 1 && plums.state == LockRow::State::Held);
        QCOMPARE(quiet.name, QByteArray("transaction 905"));
        QCOMPARE(quiet.format, QByteArray("innodb-transaction"));
        QVERIFY(keptBy(quiet.format) == KeptBy::Transaction);
        QCOMPARE(quiet.holders[0].client, QByteArray("eve \u00b7 15"));
        QCOMPARE(quiet.holders[0].about,
                 QByteArray("host:5, idle in transaction, transaction open since 2026-09-21 14:13:15Z"));
        QCOMPARE(quiet.raw.at(0).value.json().toString(), QStringLiteral("3 in tables: 1"));
        QVERIFY(!saysBounded(found.notes));
        // Transactions that were told before have let go of nothing: one is waited for now, the other waits.
        const SessionLocks later = readInnoDb(answers, {"transaction 901", "transaction 906"});
        QCOMPARE(later.rows.size(), 5u);
        QCOMPARE(later.rows[2].name, QByteArray("transaction 901"));
        QCOMPARE(later.rows[2].holders[0].client, pears.holders[0].client);
        QCOMPARE(later.rows[4].name, QByteArray("transaction 906"));
    }

    /// InnoDB locks the entry of the index by which a statement finds a row, and the row itself: two locks, told apart.
    void anEntryOfAnotherIndexIsNoRow_data() { rowsOfInnoDb_data(); }
    void anEntryOfAnotherIndexIsNoRow() {
        QFETCH(int, language);
        QFETCH(QByteArray, mark);
        Answers answers{Language(language)};
        Row byName = wait("12", "11", "'pears', 7"), noKey = wait("14", "11", "0x000000000200");
        byName[3] = "by_name";
        noKey[3] = "GEN_CLUST_INDEX"; // of a table without a primary key
        answers.answers = {{mark, {byName, wait("13", "11", "7"), noKey}}};
        const SessionLocks found = readInnoDb(answers);
        QCOMPARE(found.rows.size(), 3u);
        QCOMPARE(found.rows[0].name, QByteArray("shop.goods:'pears', 7 (index by_name)"));
        QCOMPARE(found.rows[0].raw.at(0).type, QByteArray("locked entry of an index"));
        QCOMPARE(found.rows[1].name, QByteArray("shop.goods:0x000000000200"));
        QCOMPARE(found.rows[2].name, QByteArray("shop.goods:7"));
        QCOMPARE(found.rows[2].raw.at(0).type, QByteArray("locked row"));
    }

    void holdersBesideEachOtherShareTheRow() {
        Answers answers{Language::MariaDb};
        answers.answers = {{"INNODB_LOCK_WAITS", {wait("12", "11", "'pears'"), wait("12", "10", "'pears'")}}};
        const SessionLocks found = readInnoDb(answers);
        QCOMPARE(found.rows.size(), 1u);
        QCOMPARE(found.rows[0].mode, QByteArray("shared"));
        QCOMPARE(found.rows[0].holders.size(), 2u);
        QCOMPARE(found.rows[0].holders[1].mode, QByteArray("shared"));
    }

    void waitersThatAUserMayNotSeeAreNotKnown() {
        Answers answers{Language::MariaDb};
        answers.answers = {{"IS_USED_LOCK", {{"11"}}}};
        const auto read = [&] {
            SessionMemory memory;
            return QCoro::waitFor(readMariaDbSessions(answers, memory, {"orders"}, {})).value_or(SessionLocks());
        };
        const SessionLocks all = read();
        QCOMPARE(all.rows.at(0).waiterCount, std::optional<std::int64_t>(0));
        answers.refused = "INNODB_LOCK_WAITS";
        const SessionLocks some = read();
        QCOMPARE(some.rows.at(0).name, QByteArray("orders"));
        QVERIFY(!some.rows.at(0).waiterCount && !some.rows.at(0).waiters);
    }

    void writersOfATableShareIt() {
        SessionNames names(Language::PostgreSql);
        LockRow goods = sessionLock("goods", "pg-table", Language::PostgreSql);
        for (const char* pid : {"7", "8"})
            goods.holders.push_back(sessionParty(names, {.number = pid, .user = "ann"}, "exclusive"));
        LockRow stock = goods;
        stock.holders.pop_back();
        Table answer;
        answer.rows = {{"goods", "RowExclusiveLock", "7", "1790000000000", "", "ann", "", ""},
                       {"goods", "AccessShareLock", "7", "1790000000000", "", "ann", "", ""},
                       {"goods", "RowExclusiveLock", "8", "1790000000000", "", "ann", "", ""},
                       {"stock", "AccessShareLock", "7", "1790000000000", "", "ann", "", ""},
                       {"stock", "AccessExclusiveLock", "7", "1790000000000", "", "ann", "", ""},
                       {"lists", "ShareLock", "8", "1790000000000", "", "ann", "", ""}};
        const std::vector<LockRow> others = heldTables(answer, names, {{"goods", &goods}, {"stock", &stock}});
        QCOMPARE(goods.mode, QByteArray("shared"));
        QCOMPARE(goods.holders[1].mode, QByteArray("shared"));
        QCOMPARE(stock.mode, QByteArray("exclusive"));
        QCOMPARE(others.size(), 1u);
        QCOMPARE(others[0].mode, QByteArray("shared"));
        QVERIFY(!others[0].holders[0].sinceWallMs);
        QCOMPARE(others[0].entries, (std::vector<Entry>{{"8", {}, 1'790'000'000'000}}));
    }

    void statementsKeepNoTexts_data() {
        QTest::addColumn<int>("language");
        QTest::addColumn<QByteArray>("statement");
        QTest::addColumn<QByteArray>("shown");
        const auto row = [](const char* name, Language language, const char* statement, const char* shown) {
            QTest::newRow(name) << int(language) << QByteArray(statement) << QByteArray(shown);
        };
        const Language pg = Language::PostgreSql, my = Language::MariaDb;
        row("a password", pg, "alter role lim password 'topsecret1'", "alter role lim password '…'");
        row("cut off", pg, "alter role lim password 'topse", "alter role lim password '…'");
        row("doubled", pg, "SELECT 'it''s', 2", "SELECT '…', 2");
        row("a backslash", pg, R"(SELECT 'a\', 'secret')", "SELECT '…'");
        row("an escape", my, R"(SELECT 'a\'secret', 1)", "SELECT '…'");
        row("a name", pg, R"(UPDATE "Orders" SET a = 'x')", R"(UPDATE "Orders" SET a = '…')");
        row("a quote in a name", pg, R"(UPDATE "O'x" SET a = 'x')", R"(UPDATE "O'x" SET a = '…')");
        row("a text in double quotes", my, R"(UPDATE a SET b = "secret")", R"(UPDATE a SET b = "…")");
        row("a quote in a comment", pg, "-- don't\nSELECT 'x'", "\nSELECT '…'");
        row("a comment", pg, "SELECT /* it's /* so */ */ 'x'", "SELECT  '…'");
        row("a line of comment", my, "# don't\nSELECT 'x'", "\nSELECT '…'");
        row("dollars", pg, "DO $x$ secret 'a' $x$, $1", "DO '…', $1");
        row("a key", pg, "SELECT pg_advisory_lock(42)", "SELECT pg_advisory_lock(42)");
        row("a hashed key", pg, "SELECT pg_advisory_xact_lock(hashtext('orders')), 'x'",
            "SELECT pg_advisory_xact_lock(hashtext('orders')), '…'");
        row("a named lock", my, "SELECT GET_LOCK('orders', 5), 'x'", "SELECT GET_LOCK('orders', 5), '…'");
        row("backticks", my, "UPDATE `a'b` SET c = 'x'", "UPDATE `a'b` SET c = '…'");
    }
    void statementsKeepNoTexts() {
        QFETCH(int, language);
        QFETCH(QByteArray, statement);
        QFETCH(QByteArray, shown);
        QCOMPARE(withoutLiterals(statement, Language(language)), shown);
    }

    void namesOfLocksAreReadFromStatements_data() {
        QTest::addColumn<QByteArray>("statement");
        QTest::addColumn<QByteArray>("name");
        const auto row = [](const char* what, const char* statement, const char* name) {
            QTest::newRow(what) << QByteArray(statement) << QByteArray(name);
        };
        row("quotes", "SELECT GET_LOCK('orders', 5)", "orders");
        row("double quotes", R"(select get_lock( "orders" ,5))", "orders");
        row("a quote in it", "DO GET_LOCK('it''s', 5)", "it's");
        row("a double quote in it", R"(DO GET_LOCK("a ""b""", 5))", R"(a "b")");
        row("the beginning of an expression", "SELECT GET_LOCK('shop:' || id, 5)", "");
        row("two texts in a row", "SELECT GET_LOCK('shop:' 'orders', 5)", "");
        row("an expression", "SELECT GET_LOCK(CONCAT('ord', 'ers'), 5)", "");
        row("an escape", R"(SELECT GET_LOCK('a\'b', 5))", "");
        row("a parameter", "SELECT GET_LOCK(?, ?)", "");
        row("another function", "SELECT FORGET_LOCK('orders', 5)", "");
    }
    void namesOfLocksAreReadFromStatements() {
        QFETCH(QByteArray, statement);
        QTEST(lockNameIn(statement), "name");
    }

    void aBoundIsSaidAndNotHidden_data() {
        QTest::addColumn<int>("rows");
        QTest::addColumn<bool>("bounded");
        QTest::newRow("five thousand") << 5000 << false;
        QTest::newRow("one less") << int(kMostSessions) - 1 << false;
        QTest::newRow("as many as are read") << int(kMostSessions) << true;
    }
    void aBoundIsSaidAndNotHidden() {
        QFETCH(int, rows);
        QFETCH(bool, bounded);
        Answers answers(Language::PostgreSql);
        std::vector<Row> blocked;
        for (int i = 0; i < rows; ++i)
            blocked.push_back({QByteArray::number(1000 + i),
                               "relation",
                               "goods",
                               {},
                               {},
                               "AccessExclusiveLock",
                               QByteArray::number(qlonglong(1'790'000'000'000 + i)),
                               i == 0 ? "7" : "",
                               "",
                               "app",
                               "ann",
                               "10.0.0.1",
                               "LOCK goods"});
        answers.answers = {{"pg_blocking_pids", blocked}};
        SqlWatcher watcher(answers, {});
        const LockReport report = QCoro::waitFor(watcher.once());
        QCOMPARE(report.locks.size(), 1u);
        QCOMPARE(report.locks[0].holders.size(), 1u);
        QCOMPARE(report.locks[0].waiters->size(), std::size_t(rows));
        QVERIFY(report.locks[0].raw.size() < 100u); // the queue has them all
        QCOMPARE(saysBounded(report.notes), bounded);
        QCOMPARE(report.complete, !bounded);
    }

    void librariesByTheirAdvisoryKeys_data() {
        QTest::addColumn<QByteArray>("key");
        QTest::addColumn<QByteArray>("library");
        QTest::newRow("flyway") << QByteArray("77431708279161") << QByteArray("Flyway");
        QTest::newRow("flyway's least") << QByteArray("77429560795513") << QByteArray("Flyway");
        QTest::newRow("flyway's greatest") << QByteArray("77433855762808") << QByteArray("Flyway");
        QTest::newRow("less") << QByteArray("77429560795512") << QByteArray();
        QTest::newRow("more") << QByteArray("77433855762809") << QByteArray();
        // CRC-32 of "123456789" is 0xcbf43926, as everywhere.
        QTest::newRow("rails") << QByteArray::number(2'053'462'845LL * 0xcbf43926LL) << QByteArray("Rails migrations");
        QTest::newRow("rails, another database") << QByteArray::number(2'053'462'845LL * 7) << QByteArray();
        QTest::newRow("two numbers") << QByteArray("18028,5") << QByteArray();
        QTest::newRow("a word") << QByteArray("orders") << QByteArray();
    }
    void librariesByTheirAdvisoryKeys() {
        QFETCH(QByteArray, key);
        QFETCH(QByteArray, library);
        QCOMPARE(libraryOfKey(key, "123456789"), library);
        QCOMPARE(advisoryLockName(key, "123456789"), library.isEmpty() ? key : key + " (" + library + ')');
    }

    void preparedTransactionsByWhatIsWaitedFor() {
        Table answer;
        answer.rows = {{"730", "transfer-1", "ann", "1790000000000", "goods"},
                       {"730", "transfer-1", "ann", "1790000000000", "orders"},
                       {"731", "transfer-2", "bob", "1790000000001", ""}};
        const PreparedTransactions prepared(answer);
        QCOMPARE(prepared.holdersOf("730", "").size(), 1u); // whatever it has locked, it is one holder
        QCOMPARE(prepared.holdersOf("731", "").at(0).client, QByteArray("prepared transaction transfer-2"));
        QCOMPARE(prepared.holdersOf("", "orders").at(0).about, QByteArray("ann"));
        QVERIFY(prepared.holdersOf("", "stock").empty());
        QVERIFY(prepared.holdersOf("7", "goods").empty()); // the wait is for a transaction, not for the table
    }

    /// Sentences set what is told of a session in brackets.
    void aSessionIsToldWithoutBracketsOfItsOwn() {
        SessionNames names(sql::Language::PostgreSql);
        const auto about = [&](const SeenSession& seen) { return sessionParty(names, seen, "exclusive").about; };
        QCOMPARE(
            about({.number = "1", .program = "batch-02", .user = "ann", .address = "10.0.0.4, idle in transaction"}),
            QByteArray("ann, 10.0.0.4, idle in transaction"));
        QCOMPARE(about({.number = "2", .program = "batch-02", .user = "ann"}), QByteArray("ann"));
        QCOMPARE(about({.number = "3", .user = "ann", .address = "10.0.0.4"}), QByteArray("10.0.0.4"));
        QCOMPARE(about({.number = "4", .user = "ann", .address = "10.0.0.4", .statement = "SELECT 1"}),
                 QByteArray("10.0.0.4: SELECT 1"));
    }
};

QTEST_GUILESS_MAIN(TestSessionRows)
#include "tst_session_rows.moc"
