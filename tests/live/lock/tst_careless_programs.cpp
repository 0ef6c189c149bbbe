// SPDX-License-Identifier: Apache-2.0
// Programs that leave locks to static objects, destroy lock objects that are held, or ask for leases without end.
#include "every_recipe/grounds.h"

#include <QProcess>
#include <QTemporaryDir>
#include <lockscope/blocking.h>
#include <mutex>

using namespace lockscope;
using namespace lockscope::test;

namespace {
void recipesOnGrounds() {
    QTest::addColumn<QByteArray>("ground");
    QTest::addColumn<QByteArray>("recipe");
    const auto row = [](const char* ground, const char* recipe) {
        QTest::newRow(QByteArray(ground) + ' ' + recipe) << QByteArray(ground) << QByteArray(recipe);
    };
    for (const char* recipe : {"redis-reentrant", "redis-fenced", "redis-set", "redis-fair", "redis-rw"})
        row("redis", recipe);
    for (const char* recipe : {"zk-mutex", "zk-rw"})
        row("zookeeper", recipe);
    row("etcd", "etcd-lease");
    row("memcached", "memcached-lease");
    row("sqlite", "sql-lease");
    row("postgresql", "sql-lease");
    row("postgresql", "sql-advisory");
    row("mariadb", "sql-for-update");
}

LockOptions with(const QByteArray& recipe, Nanos lease = 20s) {
    LockOptions options;
    options.recipe = recipe.toStdString();
    options.lease = lease;
    options.watchdog = lease / 4;
    return options;
}

/// The library's warnings while this lives.
class Warnings {
public:
    Warnings() {
        setLogHandler(
            [this](LogLevel, std::string_view line) {
                const std::lock_guard held(m_lock);
                m_lines.emplace_back(line);
            },
            LogLevel::Warning);
    }
    ~Warnings() { setLogHandler(nullptr); }
    Warnings(const Warnings&) = delete;
    Warnings& operator=(const Warnings&) = delete;
    std::vector<std::string> lines() const {
        const std::lock_guard held(m_lock);
        return m_lines;
    }

private:
    mutable std::mutex m_lock;
    std::vector<std::string> m_lines;
};
} // namespace

class TestCarelessPrograms : public QObject {
    Q_OBJECT
    EventLoopRuntime m_runtime;
    Grounds m_grounds{m_runtime};
    QTemporaryDir m_folder;

private Q_SLOTS:
    void cleanupTestCase() { m_grounds.endAll(); }

    void staticObjectsGiveBackAtExit_data() { recipesOnGrounds(); }
    void staticObjectsGiveBackAtExit() {
        QFETCH(QByteArray, ground);
        QFETCH(QByteArray, recipe);
        const QString url = m_grounds.urlOf(ground);
        QVERIFY(!url.isEmpty());
        QProcess program;
        program.start(QStringLiteral(LOCKSCOPE_ODD_PROGRAM),
                      {QStringLiteral("static"), url, QString::fromLatin1(recipe)});
        if (!program.waitForFinished(60'000)) {
            program.kill();
            program.waitForFinished();
            QFAIL("it does not end");
        }
        const QByteArray told = program.readAllStandardError();
        QVERIFY2(told.isEmpty(), told.constData());
        QVERIFY(program.exitStatus() == QProcess::NormalExit);
        QCOMPARE(program.exitCode(), 0);
        blocking::Client client(url.toStdString());
        for (const char* name : {"static-hold", "static-guard", "static-election"}) {
            blocking::Mutex lock(client, name, with(recipe));
            QVERIFY2(lock.try_lock(), name); // long before its lease would end
            lock.unlock();
        }
    }

    void theLastObjectOfALockGivesItBack_data() { recipesOnGrounds(); }
    void theLastObjectOfALockGivesItBack() {
        QFETCH(QByteArray, ground);
        QFETCH(QByteArray, recipe);
        const std::string url = m_grounds.urlOf(ground).toStdString();
        QVERIFY(!url.empty());
        const Warnings warnings;
        blocking::Client client(url), another(url);
        blocking::Mutex theirs(another, "dropped", with(recipe));
        {
            const blocking::Mutex kept(client, "dropped", with(recipe));
            {
                blocking::Mutex mine(client, "dropped", with(recipe));
                mine.lock();
            }
            QVERIFY(kept.stillMine()); // one object is left
            QVERIFY(!theirs.try_lock());
            QVERIFY(warnings.lines().empty());
        }
        QVERIFY(theirs.try_lock_for(5s));
        QCOMPARE(warnings.lines().size(), std::size_t(1));
        QVERIFY2(warnings.lines()[0].find("“dropped”") != std::string::npos, warnings.lines()[0].c_str());
        theirs.unlock();
        blocking::Mutex again(client, "dropped", with(recipe));
        QVERIFY(!again.stillMine() && again.try_lock());
        again.unlock();
        QCOMPARE(client.totals().released, std::uint64_t(2));
    }

    void aReentrantHoldIsGivenBackWhole() {
        const std::string url = m_grounds.urlOf("redis").toStdString();
        QVERIFY(!url.empty());
        const Warnings warnings;
        blocking::Client client(url), another(url);
        {
            blocking::Mutex mine(client, "twice");
            mine.lock();
            mine.lock();
        }
        blocking::Mutex theirs(another, "twice");
        QVERIFY(theirs.try_lock_for(5s));
        theirs.unlock();
        { // the client goes at once, too
            blocking::Client brief(url);
            blocking::Mutex mine(brief, "twice");
            mine.lock();
        }
        QVERIFY(theirs.try_lock());
        theirs.unlock();
    }

    void aLeaseHasABound_data() {
        QTest::addColumn<QByteArray>("ground");
        QTest::addColumn<QByteArray>("recipe");
        for (const char* recipe : {"redis-set", "redis-reentrant", "redis-fair", "redis-rw"})
            QTest::newRow(recipe) << QByteArray("redis") << QByteArray(recipe);
        for (const char* ground : {"sqlite", "postgresql", "mariadb"})
            QTest::newRow(ground) << QByteArray(ground) << QByteArray("sql-lease");
        QTest::newRow("memcached") << QByteArray("memcached") << QByteArray("memcached-lease");
        QTest::newRow("etcd") << QByteArray("etcd") << QByteArray("etcd-lease");
    }
    void aLeaseHasABound() {
        QFETCH(QByteArray, ground);
        QFETCH(QByteArray, recipe);
        const std::string url = m_grounds.urlOf(ground).toStdString();
        QVERIFY(!url.empty());
        constexpr Nanos kEndless = Nanos::max();
        blocking::Client client(url), another(url);
        blocking::Mutex mine(client, "bounded", with(recipe)), theirs(another, "bounded", with(recipe));
        QVERIFY_THROWS_EXCEPTION(RefusedException, (void)mine.tryLockWithLease(0s, kEndless));
        QVERIFY_THROWS_EXCEPTION(RefusedException, blocking::Mutex(client, "endless", with(recipe, kEndless)));
        mine.lock();
        QVERIFY_THROWS_EXCEPTION(RefusedException, mine.extend(kEndless));
        QVERIFY(mine.stillMine() && mine.remaining() <= 20s);
        QVERIFY(!theirs.try_lock());
        mine.unlock();
        blocking::Hold hold = mine.acquire();
        QVERIFY_THROWS_EXCEPTION(RefusedException, hold.extend(kEndless));
        QVERIFY(hold.stillMine() && hold.remaining() <= 20s && !theirs.try_lock());
        if (ground != "memcached" && ground != "etcd") { // whose servers bound it lower
            hold.extend(24h * 36'500);
            QVERIFY(hold.remaining() > 24h * 36'000 && !theirs.try_lock());
        }
        hold.unlock();
        QVERIFY(theirs.try_lock());
        theirs.unlock();
    }

    void wrongOptionsOfAUrlAreInvalidArguments_data() {
        QTest::addColumn<QString>("url");
        const QString file = QStringLiteral("sqlite://") + m_folder.filePath(QStringLiteral("locks.sqlite"));
        QTest::newRow("table") << file + QStringLiteral("?table=a;b");
        QTest::newRow("pooler") << QStringLiteral("postgresql://127.0.0.1:1/locks?pooler=x");
        QTest::newRow("authority") << QStringLiteral("postgresql://127.0.0.1:1/locks?tls=on&ca=/nowhere.pem");
        QTest::newRow("redis") << QStringLiteral("rediss://127.0.0.1:1?ca=/nowhere.pem");
        QTest::newRow("etcd") << QStringLiteral("etcds://127.0.0.1:1?ca=/nowhere.pem");
    }
    void wrongOptionsOfAUrlAreInvalidArguments() {
        QFETCH(QString, url);
        QVERIFY_THROWS_EXCEPTION(InvalidArgumentException, (void)blocking::Client(url.toStdString()));
    }

    void fewServersOfRedlockAreWarnedOf() {
        const Warnings warnings;
        QVERIFY_THROWS_EXCEPTION(UnreachableException, blocking::Client("redlock://127.0.0.1:1,127.0.0.1:2"));
        QCOMPARE(warnings.lines().size(), std::size_t(1));
        QVERIFY2(warnings.lines()[0].find("Name three") != std::string::npos, warnings.lines()[0].c_str());
        QVERIFY_THROWS_EXCEPTION(UnreachableException,
                                 blocking::Client("redlock://127.0.0.1:1,127.0.0.1:2,127.0.0.1:3"));
        QCOMPARE(warnings.lines().size(), std::size_t(1));
    }
};

QTEST_GUILESS_MAIN(TestCarelessPrograms)
#include "tst_careless_programs.moc"
