// SPDX-License-Identifier: Apache-2.0
// The end of a trace as a trace of its own, and a recording of it within bounds.
#include "trace/excerpt.h"
#include "trace/recorder.h"
#include "trace/ring_recording.h"

#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>

using namespace lockscope;
using trace::EntityKind;
using trace::EventKind;

namespace {

/// A lock that two clients take in turns, each for a second with a lease of ten, while the other one waits.
struct World {
    std::shared_ptr<trace::Trace> trace = std::make_shared<trace::Trace>();
    Nanos now{};
    trace::Recorder recorder{trace, [this] { return now; }};
    trace::EntityId node = trace->intern(EntityKind::Node, "redis-1");
    trace::EntityId lock = trace->intern(EntityKind::Lock, "orders", node);
    trace::EntityId threads[2] = {thread("A"), thread("B")};
    int turns = 0;

    World() {
        trace->setOriginWallMs(1'700'000'000'000);
        recorder.emit(EventKind::NodeStarted, node);
    }
    trace::EntityId thread(const char* client) {
        return trace->intern(EntityKind::Thread, "1", trace->intern(EntityKind::Client, client));
    }
    void turn() {
        const trace::EntityId holder = threads[turns % 2], waiter = threads[(turns + 1) % 2];
        now = Nanos(1s) * ++turns;
        if (turns > 1) recorder.emit(EventKind::RecordFreed, waiter, lock, 0, waiter);
        recorder.emit(EventKind::RecordHeld, holder, lock, (now + 10s).count(), 1);
        recorder.emit(EventKind::RecordUnqueued, holder, lock);
        recorder.emit(EventKind::RecordQueued, waiter, lock, 0);
        recorder.emit(EventKind::RecordWaiters, trace::kNoEntity, lock, 1);
        recorder.emit(EventKind::RecordContent, trace::kNoEntity, lock, 0,
                      trace->text("turn " + QByteArray::number(turns)));
        now += 500ms;
        trace->reach(now);
    }
};

} // namespace

class TestExcerpt : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void itTellsOfTheSameWorldAtEveryInstant() {
        World world;
        for (int i = 0; i < 10; ++i)
            world.turn();
        trace::Excerpt excerpt(world.trace, 5200ms);
        for (int i = 0; i < 10; ++i)
            world.turn();
        excerpt.follow();
        QCOMPARE(excerpt.trace()->originWallMs(), std::int64_t(1'700'000'005'200));
        QCOMPARE(excerpt.trace()->reached(), world.trace->reached() - 5200ms);
        QVERIFY(excerpt.trace()->size() < world.trace->size());
        trace::StateIndex whole(world.trace), part(excerpt.trace());
        for (Nanos at = 5200ms; at <= world.trace->reached(); at += 350ms) {
            const trace::Record was = whole.at(at).records.at(world.lock),
                                is = part.at(at - 5200ms).records.at(world.lock);
            QCOMPARE(is.owner, was.owner); // ids mean the same in both
            QCOMPARE(is.deadline, was.deadline - Nanos(5200ms).count());
            QCOMPARE(is.waiters, was.waiters);
            QCOMPARE(is.queue.size(), was.queue.size());
            QCOMPARE(is.queue.front().thread, was.queue.front().thread);
            QCOMPARE(excerpt.trace()->entity(is.content).name, world.trace->entity(was.content).name);
        }
        QCOMPARE(part.at(Nanos(0)).nodes.at(world.node).life, trace::ClientState::Life::Running);
    }

    void sinceWhenAHoldLastsIsKeptFromBeforeTheBeginning() {
        World world;
        world.turn();
        world.recorder.emit(EventKind::RecordSince, world.threads[0], world.lock, -Nanos(1min).count());
        world.recorder.emit(EventKind::RecordSince, world.threads[1], world.lock, Nanos(1s).count(), 0,
                            trace::kSinceWaits);
        trace::Excerpt excerpt(world.trace, 5s);
        world.now = 8s;
        world.recorder.emit(EventKind::RecordSince, world.threads[0], world.lock, Nanos(2s).count());
        excerpt.follow();
        trace::StateIndex part(excerpt.trace());
        QCOMPARE(part.at(Nanos(0)).records.at(world.lock).toldSince, -Nanos(65s).count());
        QCOMPARE(part.at(Nanos(0)).records.at(world.lock).queue.at(0).toldSince, -Nanos(4s).count());
        QCOMPARE(part.at(3s).records.at(world.lock).toldSince, -Nanos(3s).count());
    }

    /// Files that turn: each can be read by itself, and both together stay within the bounds.
    void aRingKeepsTheEnd() {
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("ring.lockscope"));
        const QString before = trace::fileBefore(path);
        QCOMPARE(QFileInfo(before).fileName(), QStringLiteral("ring.before.lockscope"));
        World world;
        world.turn();
        {
            const auto ring = trace::RingRecording::start(path, world.trace, {}, {.keep = 20s});
            for (int i = 0; i < 200 && !QFileInfo::exists(before); ++i) {
                world.turn(); // a second of the trace's time
                // The ring's thread writes by a clock of its own: the file is looked for until it is there.
                QTest::qWait(20);
            }
            QVERIFY(QFileInfo::exists(before));
            for (int i = 0; i < 3; ++i)
                world.turn();
        }
        for (const QString& file : {before, path}) {
            const auto recording = trace::loadRecording(file);
            QVERIFY2(recording, recording ? "" : qPrintable(recording.error().message));
            QVERIFY(!recording->damage && recording->meta.finished);
            const auto& records = trace::StateIndex(recording->trace).at(Nanos(0)).records;
            QVERIFY(records.contains(world.lock) && records.at(world.lock).owner != trace::kNoEntity);
        }
        const auto last = trace::loadRecording(path);
        const trace::State end = trace::StateIndex(last->trace).at(last->trace->reached());
        QCOMPARE(last->trace->entity(end.records.at(world.lock).content).name,
                 "turn " + QByteArray::number(world.turns));
    }
};

QTEST_GUILESS_MAIN(TestExcerpt)
#include "tst_excerpt.moc"
