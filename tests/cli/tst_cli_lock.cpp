// SPDX-License-Identifier: GPL-3.0-or-later
#include "lock_place.h"
#include "terminal.h"

#include <QDir>
#include <QElapsedTimer>
#include <QTcpServer>

using namespace lockscope;
using namespace lockscope::tests;

class tst_cli_lock : public QObject, LockPlace {
    Q_OBJECT
    std::unique_ptr<QProcess> m_stubborn; ///< its command ignores the end of its lock

    /// lock [options] URL NAME -- sh -c SCRIPT, in the test's folder.
    QStringList words(const QStringList& options, const QString& script, const char* name = "orders") const {
        return QStringList{QStringLiteral("lock")} + options +
               QStringList{m_server->url(),      QLatin1String(name),
                           QStringLiteral("--"), QStringLiteral("sh"),
                           QStringLiteral("-c"), QStringLiteral("cd '%1'; ").arg(m_folder->path()) + script};
    }
    Ran run(const QStringList& options, const char* script) const {
        return program(words(options, QString::fromUtf8(script)));
    }
    std::unique_ptr<QProcess> start(const QStringList& options, const char* script, const char* name = "orders") const {
        auto process = std::make_unique<QProcess>();
        process->setProcessEnvironment(plainEnvironment());
        process->setChildProcessModifier([] { ::setsid(); }); // no terminal, wherever the tests run
        process->start(kProgram, words(options, QString::fromUtf8(script), name));
        return process;
    }
    static QStringList lease(const char* text) { return {QStringLiteral("--lease"), QLatin1String(text)}; }
    static QStringList wait(const char* text) { return {QStringLiteral("--wait"), QLatin1String(text)}; }
    static QByteArray stateOf(const QByteArray& pid) { return ProcessLook::state(pid); }
    static bool end(QProcess& process) {
        return QTest::qWaitFor([&] { return process.state() == QProcess::NotRunning; }, 30'000);
    }

private Q_SLOTS:
    void initTestCase() {
        startServer();
        // It is given some seconds, which the other tests need not wait for.
        newFolder();
        m_stubborn = start(lease("1s"), "trap '' TERM; touch in; while :; do sleep 0.05; done", "stubborn");
        QTRY_VERIFY_WITH_TIMEOUT(there("in"), 10'000);
        QCOMPARE(redis({QStringLiteral("DEL"), QStringLiteral("stubborn")}), QByteArray("1"));
    }
    void init() {
        newFolder();
        redis({QStringLiteral("FLUSHALL")});
    }
    void cleanupTestCase() {
        m_stubborn.reset();
        m_server.reset();
    }

    void theCommandsStatusIsPassedThrough() {
        QCOMPARE(run({}, "exit 0").status, 0);
        QCOMPARE(run({}, "exit 7").status, 7);
        QCOMPARE(run({}, "kill -9 $$").status, 137);
        QCOMPARE(redis({QStringLiteral("EXISTS"), QStringLiteral("orders")}), QByteArray("0"));
    }

    void theCommandHasOurInputAndOutputs() {
        const Ran ran = program(words({}, QStringLiteral("cat; echo problem >&2")), "some data\n");
        QVERIFY2(ran.status == 0, ran.told());
        QCOMPARE(ran.out, QByteArray("some data\n"));
        QCOMPARE(ran.err, QByteArray("problem\n"));
    }

    void theCommandKnowsItsLockAndToken() {
        const QByteArray first = run({}, "echo $LOCKSCOPE_LOCK $LOCKSCOPE_TOKEN").out.trimmed();
        const QByteArray second = run({}, "echo $LOCKSCOPE_LOCK $LOCKSCOPE_TOKEN").out.trimmed();
        QVERIFY2(first.startsWith("orders "), first);
        QVERIFY2(second.mid(7).toLongLong() > first.mid(7).toLongLong() && first.mid(7).toLongLong() > 0,
                 first + " then " + second);
    }

    void theLockIsHeldWhileTheCommandRuns() { // with two recipes at once
        const char* const recipes[] = {"redis-reentrant", "redis-set"};
        std::vector<std::unique_ptr<QProcess>> holders;
        for (const char* recipe : recipes) {
            const QStringList options{QStringLiteral("--recipe"), QLatin1String(recipe), QStringLiteral("--lease"),
                                      QStringLiteral("1s")};
            // Longer than the lease: renewed meanwhile.
            holders.push_back(
                start(options, "touch \"in-$LOCKSCOPE_LOCK\"; until [ -e go ]; do sleep 0.05; done", recipe));
        }
        for (const char* recipe : recipes)
            QTRY_VERIFY_WITH_TIMEOUT(there((QByteArray("in-") + recipe).constData()), 10'000);
        const QStringList ask{QStringLiteral("EXISTS"), QLatin1String(recipes[0]), QLatin1String(recipes[1])};
        QElapsedTimer timer;
        timer.start();
        while (timer.elapsed() < 2500) {
            QCOMPARE(redis(ask), QByteArray("2"));
            QTest::qWait(100); // looks again and again over a stretch of real time; nothing is hoped for
        }
        put("go", {});
        for (const auto& holder : holders) {
            QVERIFY(end(*holder));
            QCOMPARE(holder->exitCode(), 0);
        }
        QCOMPARE(redis(ask), QByteArray("0"));
    }

    void processesExcludeEachOther() {
        std::vector<std::unique_ptr<QProcess>> processes;
        // mkdir fails when the directory is there: whoever finds another inside leaves a note.
        for (int i = 0; i < 5; ++i)
            processes.push_back(start({}, "mkdir busy || touch clash; sleep 0.1; rmdir busy; echo x >> done"));
        for (const auto& process : processes)
            QVERIFY(end(*process));
        for (const auto& process : processes)
            QCOMPARE(process->exitCode(), 0);
        QVERIFY(!there("clash"));
        QCOMPARE(content("done").count('x'), 5);
    }

    void aCounterWithoutAtomicityEndsExact() {
        put("counter", "0\n");
        const QString increment =
            QStringLiteral("n=$(cat '%1'); sleep 0.01; echo $((n + 1)) > '%1'").arg(path("counter"));
        const QString loop =
            QStringLiteral("for i in 1 2 3 4 5; do \"$0\" lock \"$1\" counter -- sh -c \"$2\" || exit 1; done");
        std::vector<std::unique_ptr<QProcess>> processes;
        for (int i = 0; i < 8; ++i) {
            auto process = std::make_unique<QProcess>();
            process->setProcessEnvironment(plainEnvironment());
            process->start(QStringLiteral("sh"), {QStringLiteral("-c"), loop, kProgram, m_server->url(), increment});
            processes.push_back(std::move(process));
        }
        for (const auto& process : processes) {
            QVERIFY(QTest::qWaitFor([&] { return process->state() == QProcess::NotRunning; }, 100'000));
            QVERIFY2(process->exitCode() == 0, process->readAllStandardError());
        }
        QCOMPARE(content("counter"), QByteArray("40\n"));
    }

    void aKilledHolderFreesTheLockWithinItsLease() {
        // Two that end when told, and one that does not.
        const auto holder = start(lease("1s"), "sleep 600 & a=$!; (trap '' TERM; touch deaf; exec sleep 600) & b=$!; "
                                               "until [ -e deaf ]; do sleep 0.05; done; "
                                               "echo $$ $a $b > pids.new; mv pids.new pids; wait");
        QTRY_VERIFY_WITH_TIMEOUT(there("pids"), 10'000);
        holder->kill();
        QVERIFY(end(*holder));
        QElapsedTimer timer;
        timer.start();
        const Ran next = run(wait("10s"), "true");
        QVERIFY2(next.status == 0, next.told());
        QVERIFY2(timer.elapsed() < 2000, qPrintable(QString::number(timer.elapsed())));
        // Its command does not work on without a lock, nor does what it started.
        const QByteArrayList pids = content("pids").simplified().split(' ');
        QCOMPARE(pids.size(), 3);
        QTRY_VERIFY_WITH_TIMEOUT(!ProcessLook::alive(pids[0]) && !ProcessLook::alive(pids[1]), 5000);
        QTRY_VERIFY_WITH_TIMEOUT(!ProcessLook::alive(pids[2]), 20'000); // after the grace
    }

    /// SIGSTOP is told to nobody, and a stopped holder renews nothing.
    void theCommandOfAStoppedHolderStands() {
        const auto holder = start(lease("1s"), "echo $$ > pid.new; mv pid.new pid; while :; do sleep 0.05; done");
        QTRY_VERIFY_WITH_TIMEOUT(there("pid"), 10'000);
        const QByteArray pid = content("pid").simplified();
        ::kill(static_cast<pid_t>(holder->processId()), SIGSTOP);
        QTRY_COMPARE_WITH_TIMEOUT(ProcessLook::state(pid), QByteArray("T"), 10'000);
        const Ran next = run(wait("20s"), "true"); // its lease is over
        QVERIFY2(next.status == 0, next.told());
        QCOMPARE(ProcessLook::state(pid), QByteArray("T"));
        ::kill(static_cast<pid_t>(holder->processId()), SIGCONT);
        QVERIFY(end(*holder));
        QCOMPARE(holder->exitCode(), 123);
        QVERIFY(!ProcessLook::alive(pid));
    }

    /// Messages must then go nowhere, least of all into a file that got the number of a closed stream.
    void worksWithoutInputAndOutputs() {
        const Ran ran =
            runProgram(QStringLiteral("sh"),
                       {QStringLiteral("-c"),
                        QStringLiteral("\"$0\" lock --recipe redis-setnx \"$1\" orders -- sh -c 'exit 4' <&- >&- 2>&-"),
                        kProgram, m_server->url()});
        QCOMPARE(ran.status, 4);
    }

    void messagesThatNobodyReadsEndNothing() {
        const Ran ran = runProgram(QStringLiteral("bash"),
                                   {QStringLiteral("-c"),
                                    QStringLiteral("\"$0\" lock --recipe redis-setnx \"$1\" orders -- sh -c "
                                                   "'sleep 0.2; exit 4' 2> >(exec true)"),
                                    kProgram, m_server->url()});
        QCOMPARE(ran.status, 4);
    }

    void noPasswordStandsAmongItsWords() {
        QCOMPARE(redis({QStringLiteral("config"), QStringLiteral("set"), QStringLiteral("requirepass"),
                        QStringLiteral("sesame")}),
                 QByteArray("OK"));
        QString url = m_server->url();
        url.replace(QStringLiteral("redis://"), QStringLiteral("redis://:sesame@"));
        const Ran ran = runProgram(kProgram, {QStringLiteral("lock"), url, QStringLiteral("orders"),
                                              QStringLiteral("--"), QStringLiteral("sh"), QStringLiteral("-c"),
                                              QStringLiteral("for p in $PPID $(cat /proc/$PPID/task/$PPID/children); "
                                                             "do tr '\\0' ' ' < /proc/$p/cmdline; done")});
        runProgram(QStringLiteral("redis-cli"),
                   {QStringLiteral("-p"), QString::number(m_server->port()), QStringLiteral("-a"),
                    QStringLiteral("sesame"), QStringLiteral("config"), QStringLiteral("set"),
                    QStringLiteral("requirepass"), QString()});
        QVERIFY2(ran.status == 0, ran.told());
        QVERIFY2(ran.out.contains("redis://") && !ran.out.contains("sesame"), ran.told());
    }

    /// The guard that ends the command of a killed holder must not outlive a command that ends by itself, nor keep its
    /// output open.
    void nothingButTheCommandRunsBesideALock() {
        const Ran ran =
            runProgram(QStringLiteral("sh"), {QStringLiteral("-c"),
                                              QStringLiteral("x=$(\"$0\" lock \"$1\" orders -- "
                                                             "sh -c 'cat /proc/$PPID/task/$PPID/children'); echo $x"),
                                              kProgram, m_server->url()});
        QVERIFY2(ran.status == 0, ran.told());
        const QByteArrayList children = ran.out.simplified().split(' '); // the command, and the one beside it
        QCOMPARE(children.size(), 2);
        for (const QByteArray& pid : children)
            QVERIFY2(!ProcessLook::alive(pid), ran.out);
        // It holds nothing that somebody waits for, not even while the command runs.
        const auto holder = start({}, "cat /proc/$PPID/task/$PPID/children > pids.new; mv pids.new pids; "
                                      "until [ -e go ]; do sleep 0.05; done");
        QTRY_VERIFY_WITH_TIMEOUT(there("pids"), 10'000);
        int guards = 0;
        for (const QByteArray& pid : content("pids").simplified().split(' ')) {
            const QString proc = QStringLiteral("/proc/") + QString::fromLatin1(pid);
            QFile name(proc + QStringLiteral("/comm"));
            if (!name.open(QIODevice::ReadOnly) || name.readAll().trimmed() != "lockscope-guard") continue;
            ++guards;
            // Nothing but the pipe that tells it of our end.
            const QDir open(proc + QStringLiteral("/fd"));
            const auto held = [&] {
                return open.entryList(QDir::AllEntries | QDir::System | QDir::NoDotAndDotDot).size();
            };
            QTRY_COMPARE_WITH_TIMEOUT(held(), 1, 10'000);
        }
        put("go", {});
        QVERIFY(end(*holder));
        QCOMPARE(guards, 1);
    }

    void whatTheCommandLeavesBehindGoesOnAfterAnOrderlyEnd() {
        const Ran ran = run({}, "sleep 600 > /dev/null 2>&1 & echo $!");
        QVERIFY2(ran.status == 0, ran.told());
        const QByteArray left = ran.out.trimmed();
        QVERIFY(ProcessLook::alive(left));
        ::kill(left.toInt(), SIGKILL);
    }

    void aWaitThatIsOverIs124() {
        const auto holder = start({}, "touch in; until [ -e go ]; do sleep 0.05; done");
        QTRY_VERIFY_WITH_TIMEOUT(there("in"), 10'000);
        const Ran later = run(wait("300ms"), "touch ran");
        QVERIFY2(later.status == 124, later.told());
        const Ran once = run(wait("0s"), "touch ran");
        QVERIFY2(once.status == 124, once.told());
        QVERIFY(!there("ran"));
        put("go", {});
        QVERIFY(end(*holder));
    }

    void aLostLockEndsTheCommandAndIs123() {
        const auto holder =
            start(lease("1500ms"), "trap 'touch terminated; exit 0' TERM; touch in; while :; do sleep 0.05; done");
        QTRY_VERIFY_WITH_TIMEOUT(there("in"), 10'000);
        QCOMPARE(redis({QStringLiteral("DEL"), QStringLiteral("orders")}), QByteArray("1"));
        QVERIFY(end(*holder));
        const QByteArray told = holder->readAllStandardError();
        QVERIFY2(holder->exitCode() == 123, told);
        QVERIFY(there("terminated"));
        QVERIFY2(told.contains("the lock “orders” is lost"), told);
    }

    void aCommandThatIgnoresTheEndOfItsLockIsKilled() {
        QVERIFY(end(*m_stubborn));
        QCOMPARE(m_stubborn->exitCode(), 123);
    }

    void aLossThatShowsOnlyAtTheEndIs123() {
        const Ran ran =
            program(words({}, QStringLiteral("redis-cli -p %1 DEL orders >/dev/null").arg(m_server->port())));
        QVERIFY2(ran.status == 123, ran.told());
    }

    void commandsThatCannotRunAreToldApart() {
        const QStringList head{QStringLiteral("lock"), m_server->url(), QStringLiteral("orders"), QStringLiteral("--")};
        QCOMPARE(program(head + QStringList{QStringLiteral("/no/such/command")}).status, 127);
        QCOMPARE(program(head + QStringList{QStringLiteral("no-such-command-anywhere")}).status, 127);
        QCOMPARE(program(head + QStringList{m_folder->path()}).status, 126);
        QCOMPARE(redis({QStringLiteral("EXISTS"), QStringLiteral("orders")}), QByteArray("0"));
    }

    void signalsGoToTheCommand() {
        const auto holder = start({}, "trap 'exit 9' TERM; touch in; while :; do sleep 0.05; done");
        QTRY_VERIFY_WITH_TIMEOUT(there("in"), 10'000);
        holder->terminate();
        QVERIFY(end(*holder));
        QCOMPARE(holder->exitCode(), 9);
        QCOMPARE(redis({QStringLiteral("EXISTS"), QStringLiteral("orders")}), QByteArray("0"));
    }

    /// A signal that comes while the lock is given back must not reach whoever has got the command's number since.
    void theCommandsNumberIsKeptUntilTheEnd() {
        const auto holder = start({}, "echo $$ > pid.new; mv pid.new pid; until [ -e go ]; do sleep 0.05; done");
        QTRY_VERIFY_WITH_TIMEOUT(there("pid"), 10'000);
        const QByteArray pid = content("pid").trimmed();
        const auto state = [&] { return stateOf(pid); };
        m_server->pause();
        put("go", {});
        QTRY_VERIFY_WITH_TIMEOUT(state() == "Z" || state() == "gone", 10'000);
        QTest::qWait(300); // the program has long heard of it, and waits for the server
        const QByteArray during = state();
        m_server->resume();
        QVERIFY(end(*holder));
        QCOMPARE(during, QByteArray("Z"));
        QCOMPARE(holder->exitCode(), 0);
    }

    void aStoppedCommandHearsThatItIsToEnd() {
        const auto holder = start({}, "echo $$ > pid.new; mv pid.new pid; kill -STOP $$; sleep 600");
        QTRY_VERIFY_WITH_TIMEOUT(there("pid"), 10'000);
        const QByteArray pid = content("pid").trimmed();
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(pid), QByteArray("T"), 10'000);
        holder->terminate();
        QVERIFY(end(*holder));
        QCOMPARE(holder->exitCode(), 128 + SIGTERM);
        QCOMPARE(redis({QStringLiteral("EXISTS"), QStringLiteral("orders")}), QByteArray("0"));
    }

    /// A cron job that calls itself by its machine's name is not the one that still runs there.
    void twoRunsOfOneNameExcludeEachOther() {
        const QStringList name{QStringLiteral("--id"), QStringLiteral("billing")};
        const auto holder = start(name, "touch in; until [ -e go ]; do sleep 0.05; done");
        QTRY_VERIFY_WITH_TIMEOUT(there("in"), 10'000);
        const Ran other = program({QStringLiteral("lock"), QStringLiteral("--id"), QStringLiteral("billing"),
                                   QStringLiteral("--wait"), QStringLiteral("0s"), m_server->url(),
                                   QStringLiteral("orders"), QStringLiteral("--"), QStringLiteral("true")});
        QVERIFY2(other.status == 124, other.told());
        put("go", {});
        QVERIFY(end(*holder));
        QCOMPARE(holder->exitCode(), 0);
    }

    void otherSignalsThatEndGoToTheCommandToo() {
        for (const int signal : {SIGQUIT, SIGUSR1, SIGALRM, SIGXCPU, SIGVTALRM}) {
            QFile::remove(path("in"));
            const auto holder =
                start({}, "trap 'exit 9' QUIT USR1 ALRM XCPU VTALRM; touch in; while :; do sleep 0.05; done");
            QTRY_VERIFY_WITH_TIMEOUT(there("in"), 10'000);
            ::kill(pid_t(holder->processId()), signal);
            QVERIFY(end(*holder));
            QCOMPARE(holder->exitStatus(), QProcess::NormalExit);
            QCOMPARE(holder->exitCode(), 9);
            QCOMPARE(redis({QStringLiteral("EXISTS"), QStringLiteral("orders")}), QByteArray("0"));
        }
    }

    /// While `lock` is stopped nothing renews: what it guards must not go on meanwhile.
    void aStoppedHolderStopsItsCommand() {
        const auto holder = start({}, "echo $$ > pid.new; mv pid.new pid; until [ -e go ]; do sleep 0.05; done");
        QTRY_VERIFY_WITH_TIMEOUT(there("pid"), 10'000);
        const QByteArray pid = content("pid").trimmed();
        ::kill(pid_t(holder->processId()), SIGTSTP);
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(pid), QByteArray("T"), 10'000);
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(QByteArray::number(holder->processId())), QByteArray("T"), 10'000);
        ::kill(pid_t(holder->processId()), SIGCONT); // in time: the lock is still its own
        QTRY_VERIFY_WITH_TIMEOUT(stateOf(pid) != "T", 10'000);
        put("go", {});
        QVERIFY(end(*holder));
        QCOMPARE(holder->exitCode(), 0);
    }

    void aHolderStoppedForTooLongHasLostItsLock() {
        const auto holder =
            start(lease("1s"), "trap 'touch terminated; exit 0' TERM; echo $$ > pid.new; mv pid.new pid; "
                               "while :; do sleep 0.05; done");
        QTRY_VERIFY_WITH_TIMEOUT(there("pid"), 10'000);
        ::kill(pid_t(holder->processId()), SIGTSTP);
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(content("pid").trimmed()), QByteArray("T"), 10'000);
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(QByteArray::number(holder->processId())), QByteArray("T"), 10'000);
        QCOMPARE(run(wait("10s"), "touch ran").status, 0); // somebody else got it
        QVERIFY(there("ran"));
        ::kill(pid_t(holder->processId()), SIGCONT);
        QVERIFY(end(*holder));
        const QByteArray told = holder->readAllStandardError();
        QVERIFY2(holder->exitCode() == 123, told);
        QVERIFY2(told.contains("is lost") && told.count("is lost") == 1, told);
        QVERIFY(there("terminated"));
    }

    void theCommandGetsItsWordsByteByByte() {
        const QString script =
            QStringLiteral("exec \"$0\" lock \"$1\" orders -- printf '%s.%s' \"$(printf 'caf\\351')\" ''");
        const Ran ran = runProgram(QStringLiteral("sh"), {QStringLiteral("-c"), script, kProgram, m_server->url()});
        QVERIFY2(ran.status == 0, ran.told());
        QCOMPARE(ran.out, QByteArray("caf\351."));
        const QString name = QStringLiteral("exec \"$0\" lock \"$1\" \"$(printf 'caf\\351')\" -- touch ran");
        const Ran refused = runProgram(QStringLiteral("sh"), {QStringLiteral("-c"), name, kProgram, m_server->url()});
        QVERIFY2(refused.status == 125 && refused.err.contains("not UTF-8"), refused.told());
    }

    void aSignalWhileWaitingLeavesNothingBehind() {
        const auto holder = start({}, "touch in; until [ -e go ]; do sleep 0.05; done");
        QTRY_VERIFY_WITH_TIMEOUT(there("in"), 10'000);
        const auto waiter = start({}, "touch ran");
        // The holder listens on a channel of its own.
        QTRY_VERIFY_WITH_TIMEOUT(
            redis({QStringLiteral("PUBSUB"), QStringLiteral("CHANNELS")}).contains("redisson_lock__channel:{orders}"),
            10'000);
        waiter->terminate();
        QVERIFY(end(*waiter));
        QCOMPARE(waiter->exitCode(), 128 + SIGTERM);
        put("go", {});
        QVERIFY(end(*holder));
        QCOMPARE(run(wait("1s"), "true").status, 0);
        QVERIFY(!there("ran"));
    }

    void whatGoesWrongWithTheServerIs125AndTellsNoPassword() {
        const QString nobody = QStringLiteral("redis://:sesame@127.0.0.1:1/0");
        const Ran unreachable = program(
            {QStringLiteral("lock"), nobody, QStringLiteral("orders"), QStringLiteral("--"), QStringLiteral("true")});
        QVERIFY2(unreachable.status == 125 && unreachable.err.contains("127.0.0.1:1"), unreachable.told());
        QVERIFY2(!unreachable.err.contains("sesame"), unreachable.told());
        const QString login = QStringLiteral("redis://me:sesame@127.0.0.1:%1").arg(m_server->port());
        const Ran refused = program(
            {QStringLiteral("lock"), login, QStringLiteral("orders"), QStringLiteral("--"), QStringLiteral("true")});
        QVERIFY2(refused.status == 125 && !refused.err.isEmpty() && !refused.err.contains("sesame"), refused.told());
    }

    /// Not as long as the drivers' own patience; of some servers a refused port is no reason yet to give up.
    void theWaitBoundsTheConnecting_data() {
        QTest::addColumn<QString>("url");
        for (const char* url :
             {"redis://127.0.0.1:PORT", "rediss://127.0.0.1:PORT", "redis+sentinel://127.0.0.1:PORT/master",
              "redis+cluster://127.0.0.1:PORT", "redlock://127.0.0.1:PORT,127.0.0.1:1", "zookeeper://127.0.0.1:PORT",
              "mysql://me:sesame@127.0.0.1:PORT/locks", "postgresql://me:sesame@127.0.0.1:PORT/locks",
              "memcached://127.0.0.1:PORT", "etcd://127.0.0.1:PORT", "zookeeper://127.0.0.1:1"})
            QTest::newRow(url) << QString::fromLatin1(url);
    }
    void theWaitBoundsTheConnecting() {
        QFETCH(QString, url);
        QTcpServer silent; // the system takes connections in, and nobody ever looks at them
        QVERIFY(silent.listen(QHostAddress::LocalHost));
        url.replace(QStringLiteral("PORT"), QString::number(silent.serverPort()));
        const QStringList behind{url, QStringLiteral("orders"), QStringLiteral("--"), QStringLiteral("true")};
        QElapsedTimer timer;
        timer.start();
        const Ran ran = program(QStringList{QStringLiteral("lock")} + wait("1s") + behind);
        QVERIFY2(ran.status == 125 && ran.err.contains("could not be reached within 1 s"), ran.told());
        QVERIFY2(!ran.err.contains("sesame"), ran.told());
        QVERIFY2(timer.elapsed() >= 1000 && timer.elapsed() < 4000, qPrintable(QString::number(timer.elapsed())));
    }

    void wrongWordsAre125_data() {
        QTest::addColumn<QString>("words");
        QTest::addColumn<QString>("contains");
        QTest::newRow("no command") << QStringLiteral("lock redis://127.0.0.1 orders")
                                    << QStringLiteral("the command to run is missing");
        QTest::newRow("no dashes") << QStringLiteral("lock redis://127.0.0.1 orders make -j2")
                                   << QStringLiteral("it stands behind “--”");
        QTest::newRow("readers apart") << QStringLiteral("lock --shared postgresql://127.0.0.1/locks orders -- true")
                                       << QStringLiteral("--recipe sql-advisory");
        QTest::newRow("empty command") << QStringLiteral("lock redis://127.0.0.1 orders --")
                                       << QStringLiteral("missing");
        QTest::newRow("scheme") << QStringLiteral("lock redsi://127.0.0.1 orders -- true")
                                << QStringLiteral("redis://");
        QTest::newRow("port") << QStringLiteral("lock redis://127.0.0.1:99999 orders -- true")
                              << QStringLiteral("65535");
        QTest::newRow("recipe") << QStringLiteral("lock --recipe redis-st redis://127.0.0.1 orders -- true")
                                << QStringLiteral("did you mean “redis-set”");
        QTest::newRow("lease") << QStringLiteral("lock --lease 5 redis://127.0.0.1 orders -- true")
                               << QStringLiteral("unit");
        QTest::newRow("no name") << QStringLiteral("lock redis://127.0.0.1 -- true")
                                 << QStringLiteral("NAME is missing");
    }
    void wrongWordsAre125() {
        QFETCH(QString, words);
        QFETCH(QString, contains);
        const Ran ran = program(words.split(QLatin1Char(' ')));
        QVERIFY2(ran.status == 125 && QString::fromUtf8(ran.err).contains(contains), ran.told());
    }

    void aKeyOfAnotherKindIsLeftAlone() {
        redis({QStringLiteral("SET"), QStringLiteral("orders"), QStringLiteral("precious")});
        const Ran ran = run(wait("1s"), "touch ran");
        QVERIFY2(ran.status == 125, ran.told());
        QCOMPARE(redis({QStringLiteral("GET"), QStringLiteral("orders")}), QByteArray("precious"));
        QVERIFY(!there("ran"));
    }
};

QTEST_GUILESS_MAIN(tst_cli_lock)
#include "tst_cli_lock.moc"
