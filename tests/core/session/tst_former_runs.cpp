// SPDX-License-Identifier: Apache-2.0
// A run that a change has replaced becomes the run again.
#include "scenario/scenario_file.h"
#include "session/simulated_session.h"

#include <QSignalSpy>
#include <QTest>

using namespace lockscope;
using scenario::Action;
using scenario::Fault;
using session::SimulatedSession;

namespace {

using TracePtr = std::shared_ptr<const trace::Trace>;

void runTo(SimulatedSession& session, Nanos t) {
    session.advanceTo(t);
    QTRY_VERIFY(session.trace()->reached() >= t);
}

Fault pause(const char* client) {
    Fault fault;
    fault.action = Action::PauseClient;
    fault.target = QString::fromLatin1(client);
    fault.duration = 2s;
    return fault;
}

} // namespace

class TestFormerRuns final : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aFormerRunHasItsDigestAgain_data() {
        QTest::addColumn<QString>("change");
        for (const char* change : {"a fault in the past", "a fault taken back", "another seed", "another recipe"})
            QTest::newRow(change) << QString::fromLatin1(change);
    }
    void aFormerRunHasItsDigestAgain() {
        QFETCH(QString, change);
        SimulatedSession session(*scenario::loadScenario(QStringLiteral("contention")), 3);
        runTo(session, 2s);
        session.apply(pause("A"), 2s); // at the run's front: its trace goes on
        runTo(session, 12s);
        const TracePtr former = session.trace();
        const QByteArray digest = former->digest();
        if (change == QLatin1String("a fault in the past")) session.apply(pause("B"), 5s);
        if (change == QLatin1String("a fault taken back")) session.withdraw(0);
        if (change == QLatin1String("another seed")) session.restart(4, session::ByHand::Drop);
        if (change == QLatin1String("another recipe")) {
            Fault recipe;
            recipe.action = Action::Set;
            recipe.setting = QStringLiteral("recipe");
            recipe.text = QStringLiteral("zk-mutex");
            session.apply(recipe, 12s);
            QCOMPARE(session.doneByHand().size(), std::size_t(1)); // a pause fits clients of any servers
        }
        if (change == QLatin1String("another recipe"))
            QTRY_VERIFY(session.trace()->reached() >= Nanos(12s)); // as far as it had come
        else
            runTo(session, 12s);
        const TracePtr other = session.trace();
        QVERIFY(other->digest() != digest);
        const QByteArray otherDigest = other->digest();
        const auto course = session.courseOf(*former);
        QVERIFY(course);
        QCOMPARE(course->byHand.size(), std::size_t(1));
        QCOMPARE(course->seed, std::uint64_t(3));

        QSignalSpy replaced(&session, &SimulatedSession::futureReplaced);
        session.runAgain(*former);
        QCOMPARE(replaced.count(), 1);
        QCOMPARE(replaced.at(0).at(0).value<session::Rewrite>(), session::Rewrite::Again);
        QTRY_VERIFY(session.trace()->reached() >= Nanos(12s)); // without being asked for
        QCOMPARE(session.trace()->digest(), digest);
        QCOMPARE(session.scenario().recipe, QStringLiteral("redis-set"));
        QCOMPARE(session.doneByHand().size(), std::size_t(1));

        // Each of both is there for the other, by its trace and by undo.
        session.undo();
        QTRY_VERIFY(session.trace()->reached() >= Nanos(12s));
        QCOMPARE(session.trace()->digest(), otherDigest);
        session.redo();
        QTRY_VERIFY(session.trace()->reached() >= Nanos(12s));
        session.runAgain(*other);
        QTRY_VERIFY(session.trace()->reached() >= Nanos(12s));
        QCOMPARE(session.trace()->digest(), otherDigest);
    }

    void thePresentRunAndAStrangersAreNoFormerOnes() {
        SimulatedSession session(*scenario::loadScenario(QStringLiteral("contention")), 3);
        runTo(session, 1s);
        QSignalSpy replaced(&session, &SimulatedSession::traceReplaced);
        session.runAgain(*session.trace());
        const trace::Trace stranger;
        QVERIFY(!session.courseOf(stranger));
        session.runAgain(stranger);
        QCOMPARE(replaced.count(), 0);
        QVERIFY(!session.canUndo());
    }
};

QTEST_GUILESS_MAIN(TestFormerRuns)
#include "tst_former_runs.moc"
