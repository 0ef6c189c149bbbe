// SPDX-License-Identifier: Apache-2.0
// A run as text: read again it is the same run, and a text with a mistake says where it stands.
#include "experiment/run.h"
#include "scenario/scenario_file.h"
#include "session/open_scenario.h"
#include "session/shared_run.h"
#include "session/simulated_session.h"

#include <QTest>

using namespace lockscope;
using scenario::Action;
using session::readSharedText;
using session::sharedText;
using session::SimulatedSession;

namespace {

scenario::Scenario builtin(const char* id, const char* recipe = "") {
    const auto opened = session::openScenario(QString::fromLatin1(id), QString::fromLatin1(recipe));
    if (!opened) qFatal("%s", qPrintable(opened.error().front().toString()));
    return *opened;
}

scenario::Fault fault(Action action, const char* target, std::optional<Nanos> duration = {}) {
    scenario::Fault f;
    f.action = action;
    f.target = QString::fromLatin1(target);
    f.duration = duration;
    return f;
}

scenario::Fault setting(const char* name, const char* text) {
    scenario::Fault f;
    f.action = Action::Set;
    f.setting = QString::fromLatin1(name);
    f.text = QString::fromLatin1(text);
    return f;
}

scenario::Fault jump(const char* target, Nanos value) {
    scenario::Fault f = fault(Action::JumpClock, target);
    f.value = value;
    return f;
}

/// The whole run that a session shows, computed to its planned end.
QByteArray digestOf(SimulatedSession& session) {
    session.advanceTo(session.planned());
    const auto trace = session.trace();
    if (!QTest::qWaitFor([&] { return trace->reached() >= session.planned(); }, 30'000)) return {};
    return trace->digest();
}

} // namespace

class TestSharedRun : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void theSameRunComesBack_data() {
        QTest::addColumn<QString>("id");
        QTest::addColumn<QString>("recipe");
        QTest::addColumn<int>("change");
        const auto row = [](const char* id, const char* recipe, int change) {
            QTest::addRow("%s %s %d", id, recipe, change)
                << QString::fromLatin1(id) << QString::fromLatin1(recipe) << change;
        };
        row("gc-pause", "redis-fenced", 0);
        row("contention", "redis-set", 1);
        row("contention", "zk-mutex", 2);
        row("failover-async", "redis-set", 3);
        row("multi-deadlock", "", 1);
        row("redlock-restart", "redis-redlock", 4);
        row("zk-session-expiry", "zk-mutex", 2);
        row("contention", "redis-set", 5);
        row("failover-async", "redis-set", 6);
        row("multi-deadlock", "", 7);
    }

    /// The text has everything done by hand while the run went on, and makes the same run: in another session,
    /// and on the command line's way.
    void theSameRunComesBack() {
        QFETCH(QString, id);
        QFETCH(QString, recipe);
        QFETCH(int, change);
        SimulatedSession first(builtin(qPrintable(id), qPrintable(recipe)), 7);
        first.advanceTo(4s);
        QTRY_VERIFY(first.trace()->reached() >= Nanos(4s));
        if (change > 0) {
            first.apply(fault(Action::PauseClient, "A", 8s), 3123456789ns);
            first.apply(setting("lease", "7s"), 3500ms);
            first.apply(setting("hold", "2s-4s"), 3500ms);
        }
        if (change == 2) first.apply(jump("B", -10s), 3600ms);
        if (change == 3) first.apply(fault(Action::CutLink, "A-redis-1"), 3700ms);
        if (change == 4) first.apply(fault(Action::KillNode, "redis-2", 2s), 3700ms);
        if (change == 5) {
            scenario::Fault pauses = fault(Action::PauseClient, "A,B", 400ms);
            pauses.every = 900ms;
            pauses.times = 5;
            pauses.at = 3700ms;
            first.plan(pauses);
        }
        if (change == 6) {
            scenario::Fault cut = fault(Action::CutLink, "A,B>redis-1,redis-2", 2s);
            cut.every = 5s;
            cut.at = 3700ms;
            first.plan(cut);
        }
        if (change == 7) { // of the second lock only
            scenario::Fault kill = fault(Action::KillClient, "same", 2s);
            kill.when = scenario::Trigger{.on = scenario::Trigger::On::Requested,
                                          .lock = first.scenario().moreLocks.at(0).settings.name};
            kill.at = 3700ms;
            first.plan(kill);
        }
        const std::size_t done = first.doneByHand().size();
        QVERIFY(change == 0 ? done == 0 : done >= 2);

        session::SharedRun run = session::sharedRunOf(first);
        run.playhead = 4s;
        run.version = QStringLiteral("9.8.7 beta&co");
        const QString text = sharedText(run);
        QVERIFY2(!text.contains(u' ') && !text.contains(u'\n'), qPrintable(text));
        QVERIFY2(!text.contains(QStringLiteral("&as=")), qPrintable(text)); // a built-in scenario goes by its name
        const auto read = readSharedText(text);
        QVERIFY2(read, read ? "" : qPrintable(read.error()));
        QCOMPARE(read->byHand, run.byHand);
        QVERIFY(*read == run);

        const QByteArray digest = digestOf(first);
        QVERIFY(!digest.isEmpty());
        SimulatedSession second(*read);
        QCOMPARE(second.doneByHand().size(), done);
        QCOMPARE(digestOf(second), digest);
        const auto opened = session::openScenario(text);
        QVERIFY2(opened, opened ? "" : qPrintable(opened.error().front().toString()));
        QCOMPARE(opened->seed, std::optional<std::uint64_t>(7));
        QCOMPARE(experiment::run(*opened, *opened->seed).digest(), digest);
        if (done == 0) return;
        // It is the change that makes the run: without it another one comes.
        QVERIFY(experiment::run(read->scenario, read->seed).digest() != digest);
    }

    /// A scenario of somebody's own goes along as a whole.
    void anOwnScenarioTravelsPacked() {
        scenario::Scenario own = builtin("contention");
        own.id = QStringLiteral("my-own");
        own.titles[QStringLiteral("zh_CN")] = QStringLiteral("自己的");
        own.workload.clients = 5;
        session::SharedRun run;
        run.scenario = own;
        run.seed = UINT64_MAX;
        const QString text = sharedText(run);
        QVERIFY(text.contains(QStringLiteral("&as=")));
        QString wrapped; // as a mail wraps it
        for (qsizetype at = 0; at < text.size(); at += 76)
            wrapped += u"  "_qs + text.mid(at, 76) + u"\r\n"_qs;
        QVERIFY(wrapped.count(u'\n') > 3);
        const auto read = readSharedText(wrapped);
        QVERIFY2(read, read ? "" : qPrintable(read.error()));
        QVERIFY(*read == run);
    }

    /// Another seed, another recipe on the same servers or on others, and a future that was taken back and forth.
    void whatWasChosenOnTheWayComesAlong_data() {
        QTest::addColumn<QString>("recipe");
        QTest::newRow("the same servers") << QStringLiteral("redis-fenced");
        QTest::newRow("other servers") << QStringLiteral("zk-mutex");
    }
    void whatWasChosenOnTheWayComesAlong() {
        QFETCH(QString, recipe);
        SimulatedSession first(builtin("contention", "redis-set"), 7);
        const auto reach = [&](Nanos at) {
            first.advanceTo(at);
            const auto trace = first.trace();
            return QTest::qWaitFor([&] { return trace->reached() >= at; }, 30'000);
        };
        QVERIFY(reach(4s));
        first.apply(setting("recipe", qPrintable(recipe)), 1s);
        first.restart(11, session::ByHand::Keep);
        QVERIFY(reach(4s));
        first.apply(fault(Action::PauseClient, "A", 8s), 3s);
        QVERIFY(reach(4s));
        first.apply(fault(Action::KillClient, "B"), 2s); // a new future, without the pause
        QCOMPARE(first.doneByHand().back().action, Action::KillClient);
        first.undo();
        first.redo();
        first.undo();
        QCOMPARE(first.doneByHand().back().action, Action::PauseClient);
        QVERIFY(first.scenario().recipe == recipe || first.settings().recipe == recipe);

        const session::SharedRun run = session::sharedRunOf(first);
        QCOMPARE(run.seed, 11U);
        const QString text = sharedText(run);
        QVERIFY2(!text.contains(QStringLiteral("&as=")), qPrintable(text));
        const auto read = readSharedText(text);
        QVERIFY2(read, read ? "" : qPrintable(read.error()));
        const QByteArray digest = digestOf(first);
        QVERIFY(!digest.isEmpty());
        SimulatedSession second(*read);
        QCOMPARE(digestOf(second), digest);
        QCOMPARE(experiment::run(read->whole(), read->seed).digest(), digest);
    }

    /// A built-in scenario with another setting is no built-in one.
    void aChangedScenarioIsNotTakenForTheBuiltInOne() {
        session::SharedRun run;
        run.scenario = builtin("gc-pause");
        run.scenario.lock.lease = 6s;
        const auto read = readSharedText(sharedText(run));
        QVERIFY(read);
        QCOMPARE(read->scenario.lock.lease, Nanos(6s));
    }

    void aMistakeIsShown_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<int>("at"); ///< 1-based
        QTest::addColumn<QString>("part");
        const auto row = [](const char* text, int at, const char* part) {
            QTest::newRow(text) << QString::fromUtf8(text) << at << QString::fromUtf8(part);
        };
        row("lockscope:gc-puase?seed=1", 11, "gc-pause"); // the suggestion
        row("lockscope:gc-pause", 11, "seed");
        row("lockscope:", 11, "seed");
        row("lockscope:gc-pause?seed=one", 25, "one");
        row("lockscope:gc-pause?seed=1&sed=2", 27, "sed");
        row("lockscope:gc-pause?seed=1&recipe=redis-sett", 34, "redis-set");
        row("lockscope:gc-pause?seed=1&do=3x,pause-client,A", 30, "3x");
        row("lockscope:gc-pause?seed=1&do=3s,pause-cleint,A", 33, "pause-cleint");
        row("lockscope:gc-pause?seed=1&do=3s", 30, "action");
        row("lockscope:gc-pause?seed=1&do=3s,pause-client,Q", 30, "Q");
        row("lockscope:gc-pause?seed=1&do=3s,pause-client,A,for=x", 52, "x");
        row("lockscope:gc-pause?seed=1&do=3s,set,lease=tomorrow", 30, "lease");
        row("lockscope:gc-pause?seed=1&do=3s,set,leese=3s", 37, "leese");
        row("lockscope:gc-pause?seed=1&do=-3s,pause-client,A", 30, "-3s");
        row("lockscope:own?seed=1&as=AAAA", 25, "damaged");
        row("lockscope:warehouse-of-mine?seed=1", 11, "was all of the text copied?");
        row("lockscope:own?seed=1&as=%%%", 25, "damaged");
        row("lockscope:gc-pause?seed=1&&at=2s", 27, "name");
    }

    void aMistakeIsShown() {
        QFETCH(QString, text);
        QFETCH(int, at);
        QFETCH(QString, part);
        QVERIFY(session::looksShared(text));
        const auto read = readSharedText(text);
        QVERIFY(!read);
        QVERIFY2(read.error().contains(QStringLiteral("at character %1,").arg(at)), qPrintable(read.error()));
        QVERIFY2(read.error().contains(part), qPrintable(read.error()));
        const auto opened = session::openScenario(text);
        QVERIFY(!opened);
        QCOMPARE(opened.error().front().message, read.error());
    }

    void addressesAndFilesAreNoSharedRuns() {
        QVERIFY(session::looksShared(QStringLiteral(" Lockscope:gc-pause?seed=1\n")));
        QVERIFY(!session::looksShared(QStringLiteral("gc-pause")));
        QVERIFY(!session::looksShared(QStringLiteral("redis://localhost")));
        QVERIFY(!session::looksShared(QStringLiteral("lockscope://host")));
        QVERIFY(!session::looksShared(QString()));
    }

    /// Long texts and packed zeros are refused or small: a text cannot fill the memory.
    void aTextCannotFillTheMemory() {
        QVERIFY(!readSharedText(u"lockscope:a?seed=1&as="_qs + QString(200'000, u'A')));
        const QByteArray zeros = qCompress(QByteArray(20'000'000, ' '), 9);
        const auto read = readSharedText(u"lockscope:a?seed=1&as="_qs +
                                         QString::fromLatin1(zeros.toBase64(QByteArray::Base64UrlEncoding)));
        QVERIFY(!read);
    }

    /// A shared change can be taken back by the person who opens it.
    void whatWasDoneByHandStaysChangeable() {
        SimulatedSession first(builtin("contention"), 3);
        first.apply(fault(Action::PauseClient, "A", 8s), 3s);
        const QString text = sharedText(session::sharedRunOf(first));
        const auto read = readSharedText(text);
        QVERIFY(read);
        SimulatedSession second(*read);
        QCOMPARE(second.doneByHand().size(), std::size_t(1));
        second.withdraw(0);
        QCOMPARE(second.doneByHand().size(), std::size_t(0));
        SimulatedSession plain(builtin("contention"), 3);
        QCOMPARE(digestOf(second), digestOf(plain));
    }
};

QTEST_GUILESS_MAIN(TestSharedRun)
#include "tst_shared_run.moc"
