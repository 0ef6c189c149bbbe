// SPDX-License-Identifier: Apache-2.0
#include "client/connect.h"
#include "live_sql.h"

#include <QProcess>

using namespace lockscope;
using namespace lockscope::recipes;
using namespace lockscope::test;

namespace {

/// The database's own command-line client, kept open: statements in, answers out.
class CommandLine {
public:
    CommandLine(const QByteArray& engine, const sandbox::SqlServer& server) : m_maria(engine == "mariadb") {
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(m_maria ? QStringLiteral("MYSQL_PWD") : QStringLiteral("PGPASSWORD"),
                           server.options().password);
        m_process.setProcessEnvironment(environment);
        m_process.setProcessChannelMode(QProcess::MergedChannels);
        const QString port = QString::number(server.port());
        if (m_maria)
            m_process.start(QStringLiteral("mariadb"),
                            {QStringLiteral("--no-defaults"), QStringLiteral("-h127.0.0.1"), QStringLiteral("-P"), port,
                             QStringLiteral("-u"), server.options().user, QStringLiteral("--batch"),
                             QStringLiteral("--skip-column-names"), QStringLiteral("--unbuffered"), server.database()});
        else
            m_process.start(QStringLiteral("psql"), {QStringLiteral("-X"), QStringLiteral("-qAt"), QStringLiteral("-h"),
                                                     QStringLiteral("127.0.0.1"), QStringLiteral("-p"), port,
                                                     QStringLiteral("-U"), server.options().user, server.database()});
    }
    ~CommandLine() {
        m_process.closeWriteChannel();
        if (!m_process.waitForFinished(2000)) m_process.kill();
        m_process.waitForFinished(2000);
    }
    void say(const QByteArray& statement) { m_process.write(statement + ";\n"); }
    /// Whether it has said so much by then.
    bool hear(const QByteArray& words, std::chrono::milliseconds limit) {
        return comesTrue(
            [&] {
                m_heard += m_process.readAll();
                return m_heard.contains(words);
            },
            limit);
    }
    QByteArray heard() const { return m_heard; }

private:
    bool m_maria;
    QProcess m_process;
    QByteArray m_heard;
};

/// The statements that a person types to lock and to unlock as the recipe does.
struct Words {
    QByteArray lock, unlock;
};

} // namespace

class TestSqlPeers : public QObject {
    Q_OBJECT
    static Words wordsOf(const QByteArray& engine, const QByteArray& id, const QByteArray& name) {
        if (id == "sql-for-update")
            return {"BEGIN; SELECT name FROM lockscope_locks WHERE name = '" + name + "' FOR UPDATE", "COMMIT"};
        if (engine == "mariadb") return {"SELECT GET_LOCK('" + name + "', 30)", "SELECT RELEASE_LOCK('" + name + "')"};
        // By the formula that is documented, so that it is what people can rely on.
        const QByteArray key =
            "('x' || left(encode(sha256(convert_to('" + name + "', 'UTF8')), 'hex'), 16))::bit(64)::bigint";
        return {"SELECT pg_advisory_lock(" + key + ")", "SELECT pg_advisory_unlock(" + key + ")"};
    }

private Q_SLOTS:
    void initTestCase() { VERIFY_EMPTY(startWithTables(m_runtime, m_databases)); }

    void bothWays_data() { recipeRows({"sql-for-update", "sql-advisory"}); }
    void bothWays() {
        QFETCH(QByteArray, engine);
        QFETCH(QByteArray, id);
        const QByteArray name = "peer's " + freshName() + " 锁";
        QByteArray typed = name;
        typed.replace('\'', "''");
        const Words words = wordsOf(engine, id, typed);
        SqlClient client(m_runtime, m_databases.url(engine));
        const auto ours = client.recipe(id, name);
        const Granted first = acquire(*ours, request()); // makes the row
        VERIFY_OK(first);

        // We hold: it waits, and gets it when we let go.
        CommandLine peer(engine, m_databases.server(engine));
        peer.say(words.lock);
        peer.say("SELECT 'locked-now'");
        QVERIFY(!peer.hear("locked-now", 400ms));
        VERIFY_OK(release(*ours, **first));
        QVERIFY2(peer.hear("locked-now", 3000ms), peer.heard().constData());

        // It holds: we wait, and get it soon after its release.
        QVERIFY(!acquire(*ours, request(0s)).value().has_value());
        QVERIFY(!acquire(*ours, request(200ms)).value().has_value());
        const auto waiting = beside(ours->acquire(request(), {}));
        QTest::qWait(200);
        QVERIFY(!waiting->done);
        peer.say(words.unlock);
        peer.say("SELECT 'let-go'");
        QVERIFY2(peer.hear("let-go", 3000ms), peer.heard().constData());
        const auto freed = std::chrono::steady_clock::now();
        QVERIFY(ends(waiting, 10s));
        QVERIFY(std::chrono::steady_clock::now() - freed < 3s); // 200 ms, and what a loaded machine adds
        VERIFY_OK(*waiting->result);
        VERIFY_OK(release(*ours, ***waiting->result));
    }

    void peersThatDieFreeItAtOnce_data() { recipeRows({"sql-for-update", "sql-advisory"}); }
    void peersThatDieFreeItAtOnce() {
        QFETCH(QByteArray, engine);
        QFETCH(QByteArray, id);
        const QByteArray name = freshName();
        const Words words = wordsOf(engine, id, name);
        SqlClient client(m_runtime, m_databases.url(engine));
        const auto ours = client.recipe(id, name);
        const Granted first = acquire(*ours, request());
        VERIFY_OK(release(*ours, **first));
        std::shared_ptr<Ending<Granted>> waiting;
        {
            CommandLine peer(engine, m_databases.server(engine));
            peer.say(words.lock);
            peer.say("SELECT 'locked-now'");
            QVERIFY(peer.hear("locked-now", 3000ms));
            waiting = beside(ours->acquire(request(), {}));
            QTest::qWait(150);
            QVERIFY(!waiting->done);
        }
        QVERIFY(ends(waiting, 3000ms));
        VERIFY_OK(*waiting->result);
        VERIFY_OK(release(*ours, ***waiting->result));
    }

    void numbersAreKeys_data() {
        QTest::addColumn<QString>("option");
        QTest::addColumn<QByteArray>("name");
        QTest::addColumn<QByteArray>("key");   ///< what a person types
        QTest::addColumn<QByteArray>("other"); ///< somebody else's, at the same time
        QTest::newRow("a number") << QString() << QByteArray("4242424242") << QByteArray("4242424242")
                                  << QByteArray("0, 4242");
        QTest::newRow("a negative number")
            << QStringLiteral("?key=number") << QByteArray("-77") << QByteArray("-77") << QByteArray("77");
        QTest::newRow("two numbers") << QStringLiteral("?key=two-int") << QByteArray("12,-34") << QByteArray("12, -34")
                                     << QByteArray("12, 34");
        const QByteArray hash = "('x' || left(encode(sha256('4242424242'), 'hex'), 16))::bit(64)::bigint";
        QTest::newRow("hashed") << QStringLiteral("?key=hash") << QByteArray("4242424242") << hash
                                << QByteArray("4242424242");
    }
    /// As Rails and Flyway lock: by a number of their own.
    void numbersAreKeys() {
        QFETCH(QString, option);
        QFETCH(QByteArray, name);
        QFETCH(QByteArray, key);
        QFETCH(QByteArray, other);
        const auto url = parseConnectionUrl(m_databases.url("postgresql") + option).value();
        const auto connection = makeConnection(m_runtime, url);
        VERIFY_OK(run(connection->open()));
        const auto ours = connection->makeRecipe("sql-advisory", LockSpec{name}).value();
        CommandLine somebody("postgresql", m_databases.server("postgresql")),
            peer("postgresql", m_databases.server("postgresql"));
        somebody.say("SELECT pg_advisory_lock(" + other + ")");
        somebody.say("SELECT 'locked-now'");
        QVERIFY2(somebody.hear("locked-now", 5000ms), somebody.heard().constData());
        peer.say("SELECT pg_advisory_lock(" + key + ")");
        peer.say("SELECT 'locked-now'");
        QVERIFY2(peer.hear("locked-now", 5000ms), peer.heard().constData());
        QVERIFY(run(ours->isLocked({})).value());
        QVERIFY(!acquire(*ours, request(0s)).value().has_value());
        QVERIFY(!acquire(*ours, request(200ms)).value().has_value());
        peer.say("SELECT pg_advisory_unlock(" + key + ")");
        peer.say("SELECT 'let-go'");
        QVERIFY2(peer.hear("let-go", 5000ms), peer.heard().constData());
        QVERIFY(!run(ours->isLocked({})).value());
        const Granted held = acquire(*ours, request());
        VERIFY_OK(held);
        QVERIFY(held->has_value());
        peer.say("SELECT 'got ' || pg_try_advisory_lock(" + key + ")");
        QVERIFY2(peer.hear("got false", 5000ms), peer.heard().constData());
        Request reader = request(0s);
        reader.mode = Mode::Shared;
        const Granted refused = acquire(*ours, reader); // this thread would wait for itself
        QVERIFY(!refused);
        QCOMPARE(refused.error().kind, LockError::Kind::NotSupported);
        VERIFY_OK(release(*ours, **held));
        // Freed by force: of the one who has it, and of nobody else.
        peer.say("SELECT pg_advisory_lock(" + key + "), 'locked-again'");
        QVERIFY2(peer.hear("locked-again", 5000ms), peer.heard().constData());
        QVERIFY(run(ours->forceRelease({})).value());
        const Granted after = acquire(*ours, request(5s));
        VERIFY_OK(after);
        QVERIFY(after->has_value());
        VERIFY_OK(release(*ours, **after));
        somebody.say("SELECT 'still-here'");
        QVERIFY2(somebody.hear("still-here", 5000ms), somebody.heard().constData());
    }

private:
    EventLoopRuntime m_runtime;
    Databases m_databases{m_runtime};
};

QTEST_GUILESS_MAIN(TestSqlPeers)
#include "tst_sql_peers.moc"
