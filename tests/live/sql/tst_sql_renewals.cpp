// SPDX-License-Identifier: Apache-2.0
#include "live_sql.h"
#include "tcp_relay.h"

using namespace lockscope;
using namespace lockscope::recipes;
using namespace lockscope::test;
using Kind = LockError::Kind;

namespace {

/// Many locks of one client, all held.
class Crowd {
public:
    Crowd(SqlClient& client, int count) : prefix(freshName() + '-') {
        for (int i = 0; i < count; ++i)
            recipes.push_back(client.recipe("sql-lease", nameOf(i)));
    }
    QByteArray nameOf(int i) const { return prefix + QByteArray::number(i); }
    bool take() {
        for (const auto& recipe : recipes) {
            const Granted grant = acquire(*recipe, request(0s));
            if (!grant || !*grant) return false;
            grants.push_back(**grant);
        }
        return true;
    }
    using Renewed = std::expected<bool, LockError>;
    /// Asks for all renewals at the same time.
    void renew() {
        renewals.clear();
        for (std::size_t i = 0; i < recipes.size(); ++i)
            renewals.push_back(beside(recipes[i]->renew(grants[i], {})));
    }
    int unanswered() const {
        return int(std::ranges::count_if(renewals, [](const auto& one) { return !one->done; }));
    }
    bool answered(std::chrono::milliseconds limit = 10s) const {
        return comesTrue([&] { return unanswered() == 0; }, limit);
    }
    /// The numbers of the locks that were reported as lost.
    std::vector<int> lost() const {
        std::vector<int> numbers;
        for (std::size_t i = 0; i < renewals.size(); ++i)
            if (renewals[i]->result && *renewals[i]->result && !**renewals[i]->result) numbers.push_back(int(i));
        return numbers;
    }
    int confirmed() const {
        return int(std::ranges::count_if(renewals,
                                         [](const auto& one) { return one->result && *one->result && **one->result; }));
    }

    QByteArray prefix;
    std::vector<std::unique_ptr<Recipe>> recipes;
    std::vector<Grant> grants;
    std::vector<std::shared_ptr<Ending<Renewed>>> renewals;
};

QByteArray anHourAgo(const QByteArray& engine) {
    if (engine == "mariadb") return "UTC_TIMESTAMP(6) - INTERVAL 1 HOUR";
    if (engine == "postgresql") return "clock_timestamp() - interval '1 hour'";
    return "strftime('%Y-%m-%d %H:%M:%f', 'now', '-1 hour')";
}

void engines(std::initializer_list<const char*> names) {
    QTest::addColumn<QByteArray>("engine");
    for (const char* name : names)
        QTest::newRow(name) << QByteArray(name);
}

} // namespace

/// Many locks of one connection renew together, and each learns its own fate.
class TestSqlRenewals : public QObject {
    Q_OBJECT
    QString urlThrough(const TcpRelay& relay, const QByteArray& engine) {
        return m_databases.url(engine).replace(QString::number(m_databases.server(engine).port()),
                                               QString::number(relay.port()));
    }
    /// A connection that has locked one row and does not let go of it.
    std::shared_ptr<sql::DriverSession> rowLockedBy(SqlClient& other, const QByteArray& name) {
        auto opened = run(other.driver.textSession());
        if (!opened) return nullptr;
        const std::shared_ptr<sql::DriverSession> session = std::move(*opened).share();
        session->begin();
        sql::Statement statement;
        statement.text = "SELECT version FROM " + other.tables.locks + " WHERE name = ? FOR UPDATE";
        statement.values = valuesOf(name);
        const sql::Result locked = run(session->execute(statement, 5s));
        return locked && locked->rows.size() == 1 ? session : nullptr;
    }

private Q_SLOTS:
    void initTestCase() { VERIFY_EMPTY(startWithTables(m_runtime, m_databases)); }

    void onlyThoseThatAreLostAreTold_data() { engines({"mariadb", "postgresql", "sqlite"}); }
    void onlyThoseThatAreLostAreTold() {
        QFETCH(QByteArray, engine);
        SqlClient client(m_runtime, m_databases.url(engine)), thief(m_runtime, m_databases.url(engine));
        Crowd crowd(client, 300); // more than one statement takes
        QVERIFY(crowd.take());
        crowd.renew();
        QVERIFY(crowd.answered());
        QCOMPARE(crowd.confirmed(), 300);

        const QByteArray& table = client.tables.locks;
        const auto change = [&](const QByteArray& text, int lock) {
            const sql::Result done = ask(thief.driver, text, valuesOf(crowd.nameOf(lock)));
            return done ? done->affected : -1;
        };
        QCOMPARE(change("UPDATE " + table + " SET expires_at = " + anHourAgo(engine) + " WHERE name = ?", 0), 1);
        QCOMPARE(change("UPDATE " + table + " SET expires_at = " + anHourAgo(engine) + " WHERE name = ?", 7), 1);
        const auto theirs = thief.recipe("sql-lease", crowd.nameOf(7)); // expired, and another's by now
        const Granted stolen = acquire(*theirs, request(0s));
        VERIFY_OK(stolen);
        QVERIFY(stolen->has_value());
        QCOMPARE(change("DELETE FROM " + table + " WHERE name = ?", 123), 1);
        QVERIFY(run(thief.recipe("sql-lease", crowd.nameOf(299))->forceRelease({})).value());

        crowd.renew();
        QVERIFY(crowd.answered());
        QCOMPARE(crowd.lost(), (std::vector<int>{0, 7, 123, 299}));
        QCOMPARE(crowd.confirmed(), 296);
        QVERIFY(run(theirs->renew(**stolen, {})).value()); // the thief's was left alone
    }

    void manyGoInFewStatements() {
        SqlClient client(m_runtime, m_databases.url("mariadb")), admin(m_runtime, m_databases.url("mariadb"));
        Crowd crowd(client, 300);
        QVERIFY(crowd.take());
        crowd.renew(); // opens connections, and prepares
        QVERIFY(crowd.answered());
        const QByteArray asked =
            "SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS WHERE VARIABLE_NAME = 'QUESTIONS'";
        const qint64 before = number(admin.driver, asked);
        crowd.renew();
        QVERIFY(crowd.answered());
        QCOMPARE(crowd.confirmed(), 300);
        const qint64 statements = number(admin.driver, asked) - before - 1;
        QVERIFY2(statements >= 2 && statements <= 10, qPrintable(QString::number(statements)));
    }

    void theRenewedLastAsLongAsTheyWereAskedFor_data() { engines({"mariadb", "postgresql", "sqlite"}); }
    void theRenewedLastAsLongAsTheyWereAskedFor() {
        QFETCH(QByteArray, engine);
        SqlClient client(m_runtime, m_databases.url(engine)), other(m_runtime, m_databases.url(engine));
        Crowd crowd(client, 20);
        QVERIFY(crowd.take());
        for (std::size_t i = 0; i < crowd.grants.size(); ++i)
            crowd.grants[i].lease = i % 2 == 0 ? Nanos(300ms) : Nanos(60s);
        crowd.renew();
        QVERIFY(crowd.answered());
        QCOMPARE(crowd.confirmed(), 20);
        for (int i = 0; i < 20; ++i) {
            const Granted next = acquire(*other.recipe("sql-lease", crowd.nameOf(i)), request(i % 2 == 0 ? 5s : 0s));
            VERIFY_OK(next);
            QCOMPARE(next->has_value(), i % 2 == 0);
        }
    }

    void aCutConnectionTellsNobodyAnything_data() { engines({"mariadb", "postgresql"}); }
    void aCutConnectionTellsNobodyAnything() {
        QFETCH(QByteArray, engine);
        TcpRelay relay(m_runtime, m_databases.server(engine).port());
        SqlClient client(m_runtime, urlThrough(relay, engine)), other(m_runtime, m_databases.url(engine));
        Crowd crowd(client, 40);
        QVERIFY(crowd.take());
        crowd.renew(); // the connection stands, and has prepared
        QVERIFY(crowd.answered());
        QCOMPARE(crowd.confirmed(), 40);
        QVERIFY(run(other.recipe("sql-lease", crowd.nameOf(3))->forceRelease({})).value()); // one is lost

        relay.cutNextAnswerAfter(3); // carried out, and nobody says so
        crowd.renew();
        QVERIFY(crowd.answered());
        QCOMPARE(crowd.confirmed(), 0);
        QVERIFY(crowd.lost().empty());
        for (const auto& one : crowd.renewals)
            QVERIFY(one->result->error().kind == Kind::OutcomeUnknown);

        crowd.renew();
        QVERIFY(crowd.answered());
        QCOMPARE(crowd.lost(), std::vector<int>{3});
        QCOMPARE(crowd.confirmed(), 39);
    }

    void oneRowInUseKeepsNobodyElse_data() { engines({"mariadb", "postgresql"}); }
    void oneRowInUseKeepsNobodyElse() {
        QFETCH(QByteArray, engine);
        SqlClient client(m_runtime, m_databases.url(engine)), other(m_runtime, m_databases.url(engine));
        Crowd crowd(client, 20);
        QVERIFY(crowd.take());
        const auto session = rowLockedBy(other, crowd.nameOf(11));
        QVERIFY(session != nullptr);
        crowd.renew();
        QVERIFY(comesTrue([&] { return crowd.confirmed() == 19; }, 9s));
        QVERIFY(!crowd.renewals[11]->done);
        VERIFY_OK(run(session->rollback()));
        QVERIFY(crowd.answered());
        QCOMPARE(crowd.confirmed(), 20);
    }

    void theOthersGoOnWhenOneIsStopped() {
        SqlClient client(m_runtime, m_databases.url("sqlite"));
        Crowd crowd(client, 5);
        QVERIFY(crowd.take());
        std::stop_source stop;
        const auto stopped = beside(crowd.recipes[2]->renew(crowd.grants[2], stop.get_token()));
        crowd.renew();
        stop.request_stop();
        QVERIFY(ends(stopped, 5s));
        QCOMPARE(stopped->cancelled, std::optional(Cancelled::Why::Stopped));
        QVERIFY(crowd.answered());
        QCOMPARE(crowd.confirmed(), 5);
    }

private:
    EventLoopRuntime m_runtime;
    Databases m_databases{m_runtime};
};

QTEST_GUILESS_MAIN(TestSqlRenewals)
#include "tst_sql_renewals.moc"
