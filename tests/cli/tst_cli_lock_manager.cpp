// SPDX-License-Identifier: GPL-3.0-or-later
#include "manager_place.h"

#include <csignal>

using namespace lockscope;
using namespace lockscope::tests;

namespace {
constexpr int kProcesses = 4;
constexpr int kPatience = 180'000; // ms
} // namespace

/// `lockscope lock --manager`: the same promises, on engines that change.
class tst_cli_lock_manager : public QObject, ManagerPlace {
    Q_OBJECT
    /// Holds the lock until a file "go" is there; "in" says that it has it.
    std::unique_ptr<QProcess> hold() const {
        return start(lockWords({}, "echo $LOCKSCOPE_TOKEN > token; touch in; until [ -e go ]; do sleep 0.05; done; "
                                   "touch finished"));
    }

private Q_SLOTS:
    void initTestCase() { startServers(); }
    void init() { beginAnew(); }

    void theCommandRunsUnderTheLockOfTheEngineInUse() {
        const Ran ran = lock({}, "echo $LOCKSCOPE_LOCK $LOCKSCOPE_TOKEN; cat; exit 7");
        QVERIFY2(ran.status == 7 && ran.err.isEmpty(), ran.told());
        QVERIFY2(ran.out.startsWith("orders "), ran.told());
        QCOMPARE(ran.out.mid(7).trimmed().toLongLong() >> 48, 1LL);
        // `--wait 0` is one try, the first process of all or not.
        beginAnew();
        QCOMPARE(lock({QStringLiteral("--wait"), QStringLiteral("0")}, "exit 0").status, 0);
        const auto holder = hold();
        QTRY_VERIFY_WITH_TIMEOUT(there("in"), 20'000);
        QCOMPARE(redis(*m_servers[0], {QStringLiteral("EXISTS"), QStringLiteral("shop:orders")}), QByteArray("1"));
        const Ran other = lock({QStringLiteral("--wait"), QStringLiteral("300ms")}, "exit 0");
        QVERIFY2(other.status == 124 && other.err.contains("was not free within the wait"), other.told());
        const Ran reader = lock({QStringLiteral("--shared")}, "exit 0");
        QVERIFY2(reader.status == 125 && reader.err.contains("redis-rw"), reader.told());
        holder->terminate(); // handed on to the command
        QVERIFY(end(*holder));
        QCOMPARE(holder->exitCode(), 128 + SIGTERM);
        QCOMPARE(redis(*m_servers[0], {QStringLiteral("EXISTS"), QStringLiteral("shop:orders")}), QByteArray("0"));
    }

    void wrongWordsAreRefused() {
        const auto refused = [&](const QStringList& options, const char* says) {
            const Ran ran = lock(options, "exit 0");
            QVERIFY2(ran.status == 125 && ran.out.isEmpty(), ran.told());
            QVERIFY2(QString::fromUtf8(ran.err).contains(QString::fromUtf8(says)), ran.told());
        };
        refused({QStringLiteral("--lease"), QStringLiteral("5s")}, "--lease cannot stand beside --manager");
        refused({QStringLiteral("--recipe"), QStringLiteral("redis-set")}, "--recipe cannot stand beside --manager");
        refused({QStringLiteral("--namespace"), QStringLiteral("shopp")}, "did you mean “shop”?");
        refused({m_servers[0]->url()}, "there is more than NAME");
        const Ran alone = program("lock --namespace shop redis://127.0.0.1:1 orders -- true");
        QVERIFY2(alone.status == 125 && alone.err.contains("--namespace goes with --manager"), alone.told());
        put("locks.json", "{\"lockscope-manager\": 1, \"namespaces\": [{\"nmae\": \"shop\"}]}");
        refused({}, "locks.json:1: /namespaces/0/nmae: there is no field “nmae” here; did you mean “name”?");
    }

    void whenTooFewServersAnswerItSaysSo() {
        m_servers[0]->kill();
        m_servers[1]->kill();
        const Ran ran = lock({QStringLiteral("--wait"), QStringLiteral("1s")}, "exit 0");
        QVERIFY2(ran.status == 125 && ran.err.contains("too few of the servers that keep its record"), ran.told());
    }

    void aDrainingSwitchLetsTheCommandFinish() {
        beginAnew({{"\"drain-for\": \"30s\"", "\"drain-for\": \"30s\""}}); // as long as a slow machine may want
        const auto holder = hold();
        QTRY_VERIFY_WITH_TIMEOUT(there("in"), 20'000);
        const auto switching = start(managerWords("switch 1"));
        QVERIFY(QTest::qWaitFor([&] { return status()[u"state"].toString() == QStringLiteral("switching"); }, 20'000));
        // Nobody else gets it, on either engine.
        const Ran other = lock({QStringLiteral("--wait"), QStringLiteral("1s")}, "exit 0");
        QVERIFY2(other.status == 124, other.told());
        QVERIFY(!there("finished"));
        put("go");
        QVERIFY(end(*holder));
        QVERIFY2(holder->exitCode() == 0 && there("finished"), holder->readAllStandardError());
        switching->terminate();
        QVERIFY(end(*switching));
    }

    void anImmediateSwitchEndsTheCommand_data() {
        QTest::addColumn<bool>("configured");
        QTest::newRow("by the configuration") << true;
        QTest::newRow("by the command") << false;
    }
    void anImmediateSwitchEndsTheCommand() {
        QFETCH(bool, configured);
        if (configured) beginAnew({{"\"mode\": \"drain\"", "\"mode\": \"immediate\""}});
        const auto holder = hold();
        QTRY_VERIFY_WITH_TIMEOUT(there("in"), 20'000);
        const Ran switched = manager(configured ? "switch 1" : "switch 1 --immediate");
        QVERIFY2(switched.status == 0 && switched.out.contains("holders are told to stop at once"), switched.told());
        QVERIFY(end(*holder));
        const QByteArray said = holder->readAllStandardError();
        QVERIFY2(holder->exitCode() == 123 && said.contains("is lost: another engine is used for locks"), said);
        QVERIFY(!there("finished"));
        const Ran next = lock({}, "echo $LOCKSCOPE_TOKEN > next");
        QVERIFY2(next.status == 0, next.told());
        const qint64 before = content("token").trimmed().toLongLong(), after = content("next").trimmed().toLongLong();
        QVERIFY(before >> 48 == 1 && after >> 48 == 2);
    }

    /// The primary dies while processes come and go, comes back, and is returned to. Each leaves its token in a journal
    /// and adds to a counter that knows no atomicity.
    void processesAddAllTheWayThereAndBack_data() {
        QTest::addColumn<bool>("byHand");
        QTest::newRow("by hand") << true;
        QTest::newRow("by itself") << false;
    }
    void processesAddAllTheWayThereAndBack() {
        QFETCH(bool, byHand);
        // A command on a slow machine must be done before the lease of a dead server ends.
        beginAnew({{"\"lease\": \"30s\"", "\"lease\": \"4s\""},
                   {"\"confirm-for\": \"5s\"", "\"confirm-for\": \"3s\""},
                   {"\"drain-for\": \"30s\"", "\"drain-for\": \"3s\""},
                   {"\"fail-back-after\": \"10m\"",
                    byHand ? "\"fail-back-after\": \"10m\"" : "\"fail-back-after\": \"12s\""}});
        put("counter", "0");
        const QStringList words =
            lockWords({}, "mkdir busy || touch clash; n=$(cat counter); echo $LOCKSCOPE_TOKEN >> journal; "
                          "echo $((n + 1)) > counter; rmdir busy");
        std::array<std::unique_ptr<QProcess>, kProcesses> processes;
        bool ends = false;
        QByteArray said;
        const auto keepRunning = [&] {
            for (auto& process : processes) {
                if (process && process->state() != QProcess::NotRunning) continue;
                if (process) said += process->readAllStandardError();
                if (!ends) process = start(words);
            }
        };
        const auto additions = [&] { return content("journal").count('\n'); };
        const auto until = [&](const auto& holds) {
            return QTest::qWaitFor([&] { return keepRunning(), holds(); }, kPatience);
        };
        const auto works = [&] {
            const auto before = additions();
            return until([&] { return additions() >= before + 8; });
        };
        const auto lastEpoch = [&] {
            const QByteArray journal = content("journal").trimmed();
            return journal.mid(journal.lastIndexOf('\n') + 1).toLongLong() >> 48;
        };
        QVERIFY2(works(), said);
        m_servers[0]->kill();
        // The fallback is used because a process that waits or holds finds the primary failing.
        QVERIFY2(until([&] { return lastEpoch() >= 2; }), said);
        QVERIFY2(works(), said);
        startServer(*m_servers[0]);
        const qint64 away = lastEpoch();
        QProcess back;
        back.setProcessEnvironment(plainEnvironment());
        if (byHand) back.start(kProgram, managerWords("fail-back"));
        // By itself it takes a process that lives for long enough.
        std::unique_ptr<QProcess> patient;
        if (!byHand) {
            QStringList other = lockWords({}, "until [ -e go ]; do sleep 0.1; done");
            other[other.indexOf(QStringLiteral("orders"))] = QStringLiteral("another");
            patient = start(other);
        }
        QVERIFY2(until([&] { return lastEpoch() > away; }), said);
        QVERIFY2(works(), said);
        ends = true;
        put("go");
        for (const auto& process : processes)
            QVERIFY(end(*process));
        if (patient) QVERIFY(end(*patient));
        if (byHand) {
            QVERIFY(end(back));
            QCOMPARE(back.exitCode(), 0);
        }
        QCOMPARE(engine(), 0);
        QVERIFY2(!there("clash"), said);
        qint64 last = 0;
        for (const QByteArray& token : content("journal").trimmed().split('\n')) {
            QVERIFY2(token.toLongLong() > last, token);
            last = token.toLongLong();
        }
        QCOMPARE(content("counter").trimmed().toLongLong(), additions());
    }
};

QTEST_GUILESS_MAIN(tst_cli_lock_manager)
#include "tst_cli_lock_manager.moc"
