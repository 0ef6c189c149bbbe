// SPDX-License-Identifier: GPL-3.0-or-later
// A watch goes on in a trace without its beginning: the lanes stay in sight until they are those of the new one.
#include "scenes.h"
#include "session/trace_joint.h"
#include "synthetic/synthetic.h"
#include "timeline/timeline_view.h"
#include "trace/connection.h"
#include "trace/excerpt.h"
#include "trace/server_told.h"

#include <QSignalSpy>
#include <QTest>

using namespace lockscope;
using namespace lockscope::views;
using trace::EntityKind;
using trace::EventKind;

namespace {

/// A server that is watched, with a few locks that are held from the first second on.
class Shortened final : public FixedSession, public session::JoinedTraces {
    Q_OBJECT
    Q_INTERFACES(lockscope::session::JoinedTraces)
public:
    explicit Shortened(std::shared_ptr<trace::Trace> trace) : FixedSession(trace, 0s, true), m_trace(trace) {
        trace->setOriginWallMs(1'764'424'800'000);
        const auto node =
            trace->intern(EntityKind::Node, "shop", trace::internConnection(*trace, "shop", "redis://shop"));
        const auto holder = trace->intern(EntityKind::Client, "worker-7");
        trace->append({.at = 0, .actor = node, .kind = EventKind::NodeStarted});
        for (int i = 0; i < 5; ++i) {
            const auto lock = trace->intern(EntityKind::Lock, "lock-" + QByteArray::number(i), node);
            trace->append({.at = Nanos(1s).count(),
                           .value = trace::kNeverEnds,
                           .actor = holder,
                           .subject = lock,
                           .aux = 1,
                           .kind = EventKind::RecordHeld});
        }
        trace->reach(60s);
    }
    session::TraceJoint traceJoint() const override { return m_joint; }
    /// From that instant on it is kept.
    void leaveOut(Nanos until) {
        const auto why = m_trace->text(trace::kLeftOut.toByteArray());
        trace::Excerpt end(m_trace, until, {m_trace->intern(EntityKind::Client, "lockscope"), why});
        m_joint = {m_trace, end.trace()->size()};
        m_trace = end.takeTrace();
        replace(m_trace);
    }

private:
    std::shared_ptr<trace::Trace> m_trace;
    session::TraceJoint m_joint;
};

} // namespace

class TestShortenedTrace : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void whatIsDrawnStaysUntilTheNextIsFolded() {
        const auto before = trace::syntheticTrace(50'000, 10, 2), after = trace::syntheticTrace(60'000, 10, 3);
        TimelineLoader loader;
        QSignalSpy finished(&loader, &TimelineLoader::finished), replaced(&loader, &TimelineLoader::replaced);
        loader.open(before);
        QVERIFY(finished.wait(60'000));
        replaced.clear();
        loader.goOnIn(after);
        QVERIFY(loader.isBusy() && loader.isGoingOn());
        QCOMPARE(loader.trace(), after);
        QCOMPARE(loader.data()->sharedTrace(), before);
        QVERIFY(finished.wait(60'000));
        QCOMPARE(replaced.size(), 1);
        QVERIFY(!loader.isGoingOn());
        QCOMPARE(loader.data()->sharedTrace(), after);
        QCOMPARE(loader.rows(), after->size());
        after->append({.at = after->reached().count(), .kind = EventKind::Healed});
        loader.grow();
        QCOMPARE(loader.rows(), after->size());
        // Cancelled, it shows what there is of the next.
        loader.goOnIn(before);
        loader.cancel();
        QCOMPARE(loader.data()->sharedTrace(), before);
        QCOMPARE(loader.rows(), loader.data()->rows());
    }

    void lanesAndTheTimeInSightStay() {
        Shortened session(std::make_shared<trace::Trace>());
        ViewContext context;
        context.setSession(&session);
        context.setPlayhead(60s);
        TimelineView view(&context);
        view.resize(900, 300);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        const auto rows = [&view] { return view.layoutOfLanes().rows().size(); };
        QTRY_VERIFY(rows() > 5);
        const std::size_t before = rows();
        view.zoom()->setRange(Nanos(20s).count(), Nanos(50s).count());
        // The second comes before the first is drawn.
        for (const Nanos until : {Nanos(30s), Nanos(40s)}) {
            const auto drawn = view.loader()->data();
            session.leaveOut(until);
            QCOMPARE(view.loader()->data(), drawn);
            QCOMPARE(rows(), before);
        }
        QTRY_COMPARE(view.loader()->data()->sharedTrace(), session.trace());
        QTRY_COMPARE(rows(), before);
        QCOMPARE(view.zoom()->from(), Nanos(20s).count());
        QCOMPARE(view.zoom()->to(), Nanos(50s).count());
        QVERIFY(view.formerRuns().empty()); // it is no other run
        // Another trace that does not go on from this one is drawn anew.
        session.replace(std::make_shared<trace::Trace>());
        QCOMPARE(view.loader()->data()->sharedTrace(), session.trace());
    }
};

QTEST_MAIN(TestShortenedTrace)
#include "tst_shortened_trace.moc"
