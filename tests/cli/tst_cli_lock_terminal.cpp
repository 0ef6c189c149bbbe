// SPDX-License-Identifier: GPL-3.0-or-later
#include "lock_place.h"
#include "terminal.h"

using namespace lockscope;
using namespace lockscope::tests;

/// `lockscope lock` before a person: a shell with job control around it, keys, and who may read the terminal.
class tst_cli_lock_terminal : public QObject, LockPlace {
    Q_OBJECT
    std::unique_ptr<PersonAtTerminal> m_person;

    /// A shell as people use it; $LOCK stands for the program and its words up to the command.
    void sitDown(const char* lease = "30s") {
        const QString lock =
            QStringLiteral("%1 lock --lease %2 %3 orders --").arg(kProgram, QLatin1String(lease), m_server->url());
        m_person = std::make_unique<PersonAtTerminal>(
            m_folder->path(),
            QStringList{QStringLiteral("env"), QStringLiteral("HISTFILE=/dev/null"), QStringLiteral("LOCK=") + lock,
                        QStringLiteral("bash"), QStringLiteral("--norc"), QStringLiteral("--noprofile"),
                        QStringLiteral("-i")});
        QVERIFY2(m_person->there(), "there are no terminals here");
        m_person->type("echo se''ated\n"); // the quotes tell what the shell says from what was typed
        QVERIFY2(m_person->untilSeen("seated\r\n"), m_person->seen());
    }
    /// The numbers that a command has left in that file: its own, and those of others.
    QByteArrayList pids(const char* name = "pids") {
        if (!m_person->until([&] { return content(name).endsWith('\n'); })) return {};
        return content(name).simplified().split(' ');
    }
    bool untilState(const QByteArrayList& processes, const QByteArray& state) {
        return m_person->until([&] {
            return std::ranges::all_of(processes, [&](const auto& pid) { return ProcessLook::state(pid) == state; });
        });
    }
    bool untilEnded(const QByteArrayList& processes) {
        return m_person->until([&] { return std::ranges::none_of(processes, ProcessLook::alive); });
    }
    QByteArray states(const QByteArrayList& processes) {
        QByteArray text;
        for (const QByteArray& pid : processes)
            text += pid + ' ' + ProcessLook::state(pid) + ", ";
        return text + "seen: " + m_person->seen();
    }
    /// The shell is in front again.
    bool shellAnswers(const QByteArray& word) {
        m_person->type("echo " + word.left(1) + "''" + word.mid(1) + '\n');
        return m_person->untilSeen(word + "\r\n");
    }

private Q_SLOTS:
    void initTestCase() { startServer(); }
    void init() {
        newFolder();
        redis({QStringLiteral("FLUSHALL")});
    }
    void cleanup() { m_person.reset(); }
    void cleanupTestCase() { m_server.reset(); }

    void aLostLockEndsWhatTheCommandStarted_data() {
        QTest::addColumn<QByteArray>("line");
        QTest::newRow("in front") << QByteArray("$LOCK sh work.sh; echo sta''tus $?");
        QTest::newRow("in a pipeline") << QByteArray("$LOCK sh work.sh | cat; echo sta''tus ${PIPESTATUS[0]}");
        QTest::newRow("behind a pipe") << QByteArray(": | $LOCK sh work.sh; echo sta''tus $?");
        QTest::newRow("in the background") << QByteArray("$LOCK sh work.sh & wait $!; echo sta''tus $?");
        QTest::newRow("in a script") << QByteArray("bash script.sh; echo sta''tus $?");
    }
    void aLostLockEndsWhatTheCommandStarted() {
        QFETCH(QByteArray, line);
        put("work.sh", "sleep 600 & a=$!\n(sleep 600 & echo $! > inner; wait) & b=$!\n"
                       "until [ -s inner ]; do sleep 0.05; done\n"
                       "echo $$ $a $b $(cat inner) > pids; wait\n");
        put("script.sh", "$LOCK sh work.sh\nexit $?\n");
        sitDown("1500ms");
        m_person->type(line + '\n');
        const QByteArrayList all = pids();
        QCOMPARE(all.size(), 4);
        QCOMPARE(redis({QStringLiteral("DEL"), QStringLiteral("orders")}), QByteArray("1"));
        QVERIFY2(m_person->untilSeen("status 123\r\n"), m_person->seen());
        QVERIFY2(untilEnded(all), states(all));
    }

    /// Some programs show no progress, or write to a file instead, when they find themselves in the background.
    void theCommandFindsItselfInFront_data() {
        QTest::addColumn<QByteArray>("line");
        QTest::newRow("in front") << QByteArray("$LOCK sh ask.sh");
        QTest::newRow("in a script") << QByteArray("bash script.sh");
        QTest::newRow("output elsewhere") << QByteArray("$LOCK sh ask.sh > /dev/null");
    }
    void theCommandFindsItselfInFront() {
        QFETCH(QByteArray, line);
        // Fields of proc(5) behind the name: its process group, and the terminal's in front.
        put("ask.sh", "read -r stat < /proc/$$/stat; set -- ${stat##*) }; echo $3 $6 > pids\n");
        put("script.sh", "$LOCK sh ask.sh\n");
        sitDown();
        m_person->type(line + '\n');
        const QByteArrayList groups = pids();
        QCOMPARE(groups.size(), 2);
        QCOMPARE(groups[0], groups[1]);
        QVERIFY2(shellAnswers("afterwards"), m_person->seen());
    }

    void theCommandStopsByAKeyAndComesBack_data() {
        QTest::addColumn<QByteArray>("line");
        QTest::newRow("in front") << QByteArray("$LOCK sh talk.sh; echo sta''tus $?");
        QTest::newRow("in a pipeline") << QByteArray("$LOCK sh talk.sh | cat; echo sta''tus $?");
        QTest::newRow("in a script") << QByteArray("bash script.sh; echo sta''tus $?");
        QTest::newRow("output elsewhere") << QByteArray("$LOCK sh talk.sh 2> errors; echo sta''tus $?");
    }
    void theCommandStopsByAKeyAndComesBack() {
        QFETCH(QByteArray, line);
        put("talk.sh", "echo $$ $PPID > pids; while read -r x; do echo \"got-$x\"; done\n");
        put("script.sh", "$LOCK sh talk.sh\n");
        sitDown();
        m_person->type(line + '\n');
        const QByteArrayList both = pids(); // the command, and lockscope
        QCOMPARE(both.size(), 2);
        m_person->type("one\n");
        QVERIFY2(m_person->untilSeen("got-one\r\n"), states(both));
        m_person->type("\x1a");
        QVERIFY2(untilState(both, "T"), states(both));
        QVERIFY2(shellAnswers("meanwhile"), states(both));
        m_person->type("fg\n");
        QVERIFY2(untilState(both, "S"), states(both));
        m_person->type("two\n");
        QVERIFY2(m_person->untilSeen("got-two\r\n"), states(both));
        m_person->type("\x04");
        QVERIFY2(untilEnded(both), states(both));
        QVERIFY2(shellAnswers("afterwards"), states(both));
        QVERIFY2(!m_person->seen().contains("is lost"), m_person->seen());
    }

    /// The key reaches the outer one alone, and what it stops must not leave the innermost at work.
    void aKeyStopsLocksWithinLocks() {
        put("work.sh", "echo $$ $PPID > pids; exec sleep 600\n");
        sitDown();
        m_person->type("$LOCK ${LOCK/orders/others} sh work.sh | cat\n");
        const QByteArrayList both = pids();
        m_person->type("\x1a");
        QVERIFY2(untilState(both, "T"), states(both));
        QVERIFY2(shellAnswers("meanwhile"), states(both));
        m_person->type("fg\n");
        QVERIFY2(untilState(both, "S"), states(both));
        m_person->type("\x03");
        QVERIFY2(untilEnded(both), states(both));
        QVERIFY2(shellAnswers("afterwards"), states(both));
    }

    void aKeyStopsACommandThatIgnoresIt() {
        put("work.sh", "trap '' TSTP; echo $$ $PPID > pids; while :; do :; done\n");
        sitDown();
        m_person->type("$LOCK sh work.sh | cat\n");
        const QByteArrayList both = pids();
        m_person->type("\x1a");
        QVERIFY2(untilState(both, "T"), states(both));
        QVERIFY2(shellAnswers("meanwhile"), states(both));
        m_person->type("fg\n");
        QVERIFY2(m_person->until([&] { return ProcessLook::state(both[0]) != "T"; }), states(both));
        m_person->type("\x03");
        QVERIFY2(untilEnded(both), states(both));
    }

    void aSubstitutionMayRead() {
        put("talk.sh", "echo $$ $PPID > pids; read -r x; echo \"got-$x\"\n");
        sitDown();
        m_person->type("x=$($LOCK sh talk.sh); echo \"<$x>\"\n");
        const QByteArrayList both = pids();
        m_person->type("one\n");
        QVERIFY2(m_person->untilSeen("<got-one>\r\n"), states(both));
        QVERIFY2(shellAnswers("afterwards"), states(both));
    }

    void whatReadsInTheBackgroundComesBack() {
        put("talk.sh", "echo $$ $PPID > pids; read -r x; echo \"got-$x\"\n");
        sitDown();
        m_person->type("$LOCK sh talk.sh &\n");
        const QByteArrayList both = pids();
        QVERIFY2(untilState(both, "T"), states(both));
        QVERIFY2(shellAnswers("meanwhile"), states(both));
        m_person->type("fg\n");
        QVERIFY2(untilState(both, "S"), states(both));
        m_person->type("one\n");
        QVERIFY2(m_person->untilSeen("got-one\r\n"), states(both));
        QVERIFY2(untilEnded(both) && shellAnswers("afterwards"), states(both));
    }

    /// A job that runs is brought to the front without a signal: the command asks when it needs the terminal.
    void whatIsBroughtToTheFrontMayRead() {
        put("talk.sh", "echo $$ $PPID > pids; until [ -e go ]; do sleep 0.05; done\n"
                       "read -r x; echo \"got-$x\"\n");
        sitDown();
        m_person->type("$LOCK sh talk.sh &\n");
        const QByteArrayList both = pids();
        m_person->type("fg\n");
        QVERIFY2(m_person->untilSeen("fg\r\n"), states(both));
        put("go", {});
        m_person->type("one\n");
        QVERIFY2(m_person->untilSeen("got-one\r\n"), states(both));
        QVERIFY2(shellAnswers("afterwards"), states(both));
    }

    void aCommandThatStopsItselfComesBack() {
        put("stop.sh", "echo $$ $PPID > pids; kill -STOP $$; echo went''-on\n");
        sitDown();
        m_person->type("$LOCK sh stop.sh; echo sta''tus $?\n");
        const QByteArrayList both = pids();
        QVERIFY2(untilState(both, "T"), states(both));
        QVERIFY2(shellAnswers("meanwhile"), states(both));
        m_person->type("fg\n");
        QVERIFY2(m_person->untilSeen("went-on\r\n"), states(both));
        QVERIFY2(untilEnded(both), states(both));
    }

    void aStoppedCommandGoesOnInTheBackground() {
        put("work.sh", "echo $$ $PPID > pids; exec sleep 600\n");
        sitDown();
        m_person->type("$LOCK sh work.sh\n");
        const QByteArrayList both = pids();
        m_person->type("\x1a");
        QVERIFY2(untilState(both, "T"), states(both));
        m_person->type("bg\n");
        QVERIFY2(untilState(both, "S"), states(both));
        QVERIFY2(shellAnswers("beside"), states(both));
        m_person->type("kill " + both[0] + "; wait $!; echo sta''tus $?\n");
        QVERIFY2(m_person->untilSeen("status 143\r\n"), m_person->seen());
    }

    void aKeyEndsTheCommand_data() {
        QTest::addColumn<QByteArray>("line");
        QTest::addColumn<QByteArray>("status");
        QTest::newRow("in front") << QByteArray("$LOCK sh work.sh") << QByteArray("130");
        QTest::newRow("in a pipeline") << QByteArray("$LOCK sh work.sh | cat") << QByteArray("130");
        QTest::newRow("in its own way") << QByteArray("$LOCK sh own.sh") << QByteArray("7");
        QTest::newRow("in a script") << QByteArray("bash script.sh") << QByteArray("130");
        QTest::newRow("in a script's pipeline") << QByteArray("bash pipeline.sh") << QByteArray("130");
    }
    void aKeyEndsTheCommand() {
        QFETCH(QByteArray, line);
        QFETCH(QByteArray, status);
        // Shells forget the key when it comes while a child of theirs ends by itself: here they have none.
        put("work.sh", "echo $$ $PPID > pids; exec sleep 600\n");
        put("own.sh", "trap 'exit 7' INT; echo $$ $PPID > pids; while :; do :; done\n");
        // Goes on with its next line only if what it waits for took no harm from the key.
        put("script.sh", "$LOCK sh work.sh\ntouch next\n");
        put("pipeline.sh", "$LOCK sh work.sh | cat\ntouch next\n");
        sitDown();
        m_person->type(line + '\n');
        const QByteArrayList processes = pids();
        QCOMPARE(processes.size(), 2);
        m_person->type("\x03");
        QVERIFY2(untilEnded(processes), states(processes));
        m_person->type("echo sta''tus ${PIPESTATUS[0]}\n");
        QVERIFY2(m_person->untilSeen("status " + status + "\r\n"), states(processes));
        QVERIFY(!there("next"));
        QCOMPARE(redis({QStringLiteral("EXISTS"), QStringLiteral("orders")}), QByteArray("0"));
    }

    /// A pager behind us reads keys while the command works.
    /// A script's background jobs ignore the key; the script does not, and must hear it.
    void aKeyEndsAScriptWithALockInItsBackground() {
        put("work.sh", "echo $$ $PPID > pids; exec sleep 600\n");
        put("script.sh", "$LOCK sh work.sh &\nwait\ntouch next\n");
        sitDown();
        m_person->type("bash script.sh\n");
        const QByteArrayList both = pids();
        m_person->type("\x03");
        QVERIFY2(shellAnswers("afterwards"), states(both));
        QVERIFY(!there("next"));
        ::kill(static_cast<pid_t>(both[1].toLong()), SIGTERM);
        QVERIFY2(untilEnded(both), states(both));
    }

    void aCommandThatDoesNotReadLeavesTheTerminalToOthers() {
        put("pager.sh", "until [ -e pids ]; do sleep 0.05; done; read -r x < /dev/tty; echo \"pager-$x\"; touch go\n");
        put("work.sh", "echo $$ $PPID > pids; until [ -e go ]; do sleep 0.05; done\n");
        sitDown();
        m_person->type("$LOCK sh work.sh | sh pager.sh\n");
        const QByteArrayList both = pids();
        m_person->type("one\n");
        QVERIFY2(m_person->untilSeen("pager-one\r\n"), states(both));
        QVERIFY2(shellAnswers("afterwards"), states(both));
    }

    /// First the command asks for a password, then the pager wants keys.
    void theTerminalGoesToWhoReads() {
        put("pager.sh", "until [ -e asked ]; do sleep 0.05; done; read -r x < /dev/tty; echo \"pager-$x\"; touch go\n");
        put("work.sh", "echo $$ $PPID > pids; read -r x < /dev/tty; echo \"got-$x\" > /dev/tty\n"
                       "touch asked; until [ -e go ]; do sleep 0.05; done\n");
        sitDown();
        m_person->type("$LOCK sh work.sh | sh pager.sh\n");
        const QByteArrayList both = pids();
        m_person->type("one\n");
        QVERIFY2(m_person->untilSeen("got-one\r\n"), states(both));
        m_person->type("two\n");
        QVERIFY2(m_person->untilSeen("pager-two\r\n"), states(both));
        QVERIFY2(shellAnswers("afterwards"), states(both));
    }

    void aKilledHolderTakesItsCommandAlong_data() {
        QTest::addColumn<QByteArray>("line");
        QTest::newRow("in front") << QByteArray("$LOCK sh work.sh");
        QTest::newRow("stopped") << QByteArray("$LOCK sh work.sh");
        QTest::newRow("in a script") << QByteArray("bash script.sh");
    }
    void aKilledHolderTakesItsCommandAlong() {
        QFETCH(QByteArray, line);
        put("work.sh", "sleep 600 & echo $PPID $$ $! > pids; exec sleep 600\n");
        put("script.sh", "$LOCK sh work.sh\nuntil [ -e go ]; do sleep 0.05; done; read -r x; echo \"script-$x\"\n");
        sitDown();
        m_person->type(line + '\n');
        const QByteArrayList processes = pids();
        QCOMPARE(processes.size(), 3);
        if (QTest::currentDataTag() == QByteArray("stopped")) {
            m_person->type("\x1a");
            QVERIFY2(untilState(processes, "T"), states(processes));
        }
        ::kill(processes[0].toInt(), SIGKILL);
        QVERIFY2(untilEnded(processes), states(processes));
        if (line.startsWith("bash")) { // which can read: its group has the terminal
            put("go", {});
            m_person->type("one\n");
            QVERIFY2(m_person->untilSeen("script-one\r\n"), m_person->seen());
        }
        QVERIFY2(shellAnswers("afterwards"), states(processes));
    }

    /// As in a container, or behind ssh: nobody there could bring back what a key has stopped.
    void withoutAShellTheKeyDoesNothing() {
        put("talk.sh", "echo $$ $PPID > pids; while read -r x; do echo \"got-$x\"; done\n");
        m_person = std::make_unique<PersonAtTerminal>(
            m_folder->path(), QStringList{kProgram, QStringLiteral("lock"), m_server->url(), QStringLiteral("orders"),
                                          QStringLiteral("--"), QStringLiteral("sh"), QStringLiteral("talk.sh")});
        const QByteArrayList both = pids();
        m_person->type("\x1a");
        QVERIFY2(m_person->untilSeen("^Z"), states(both));
        m_person->type("one\n");
        QVERIFY2(m_person->untilSeen("got-one\r\n"), states(both));
        m_person->type("\x04");
        QVERIFY2(m_person->until([&] { return m_person->status().has_value(); }), states(both));
        QCOMPARE(*m_person->status(), 0);
    }

    /// The kernel tells the first process of a terminal and its foreground that it hangs up.
    void aTerminalThatHangsUpEndsTheCommand() {
        put("work.sh", "echo $$ > pids; while :; do sleep 0.05; done\n");
        m_person = std::make_unique<PersonAtTerminal>(
            m_folder->path(), QStringList{kProgram, QStringLiteral("lock"), m_server->url(), QStringLiteral("orders"),
                                          QStringLiteral("--"), QStringLiteral("sh"), QStringLiteral("work.sh")});
        const QByteArrayList command = pids();
        m_person->hangUp();
        QVERIFY2(m_person->until([&] { return m_person->status().has_value(); }), states(command));
        QVERIFY(WIFEXITED(*m_person->status()));
        QCOMPARE(WEXITSTATUS(*m_person->status()), 128 + SIGHUP);
        QVERIFY(untilEnded(command));
        QCOMPARE(redis({QStringLiteral("EXISTS"), QStringLiteral("orders")}), QByteArray("0"));
    }

    /// The input of a terminal's foreground may be a pipe: its keys stop the command all the same.
    void inATerminalTheCommandStopsWhateverItsInput_data() {
        QTest::addColumn<bool>("key");
        QTest::newRow("a key") << true;
        QTest::newRow("a signal to lock alone") << false;
    }
    void inATerminalTheCommandStopsWhateverItsInput() {
        QFETCH(bool, key);
        put("work.sh", "echo $$ $PPID > pids; while :; do sleep 0.05; done\n");
        put("job.sh", "set -m\n: | $LOCK sh work.sh\nsleep 600\n");
        sitDown();
        m_person->type("exec sh job.sh\n");
        const QByteArrayList both = pids();
        QCOMPARE(both.size(), 2);
        QVERIFY(m_person->until([&] { return ProcessLook::catches(both[1], SIGTSTP); })); // a moment later
        if (key)
            m_person->type("\x1a");
        else
            ::kill(both[1].toInt(), SIGTSTP);
        const bool stopped = untilState(both, "T");
        const QByteArray told = states(both);
        for (const QByteArray& pid : both)
            ::kill(pid.toInt(), SIGKILL);
        QVERIFY2(stopped, told);
    }
};

QTEST_GUILESS_MAIN(tst_cli_lock_terminal)
#include "tst_cli_lock_terminal.moc"
