// SPDX-License-Identifier: Apache-2.0
// The end of a trace as a trace of its own, and a recording of it within bounds.
#include "turns_world.h"

#include "trace/excerpt.h"
#include "trace/ring_recording.h"

#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>

using namespace lockscope;
using trace::EntityKind;
using trace::EventKind;
using trace::tests::TurnsWorld;

class TestExcerpt : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void itTellsOfTheSameWorldAtEveryInstant() {
        TurnsWorld world;
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
        TurnsWorld world;
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

    /// A watch that goes on in a trace without its beginning: times and ids stay as they are.
    void itMayKeepItsTimesAndLeaveOutTheBeginning() {
        TurnsWorld world;
        for (int i = 0; i < 10; ++i)
            world.turn();
        world.recorder.emit(EventKind::RecordFreed, world.threads[0], world.lock, 0, world.threads[0]);
        world.recorder.emit(EventKind::RecordHeld, world.threads[1], world.lock, trace::kNeverEnds, 1,
                            trace::kSeenToBegin);
        const Nanos begun = world.now, from = begun + 3s;
        world.now = from + 1s;
        world.recorder.emit(EventKind::RecordWaiters, trace::kNoEntity, world.lock, 7);
        const auto observer = world.trace->intern(EntityKind::Client, "lockscope");
        const auto why = world.trace->text("left-out");
        trace::Excerpt end(world.trace, from, {observer, why});
        const auto next = end.takeTrace();
        QCOMPARE(next->originWallMs(), world.trace->originWallMs());
        QCOMPARE(next->entityCount(), world.trace->entityCount());
        QCOMPARE(next->reached(), world.trace->reached());
        trace::StateIndex whole(world.trace), part(next);
        for (const Nanos at : {from, world.now}) {
            const trace::Record was = whole.at(at).records.at(world.lock), is = part.at(at).records.at(world.lock);
            QCOMPARE(is.owner, was.owner);
            QCOMPARE(is.deadline, was.deadline);
            QCOMPARE(is.waiters, was.waiters);
            QCOMPARE(is.toldSince, begun.count()); // it was seen to begin
        }
        const trace::NodeState before = part.at(from - 1ns).nodes.at(world.node);
        QCOMPARE(before.unseenSince, std::int64_t(0));
        QCOMPARE(before.unseenWhy, why);
        QVERIFY(part.at(from).nodes.at(world.node).unseenSince < 0);
        // Another excerpt goes on in it, as a ring recording does.
        trace::Excerpt ring(world.trace, from - 1s);
        const std::size_t row = next->size();
        trace::Recorder recorder(next, [&world] { return world.now; });
        world.now += 2s;
        recorder.emit(EventKind::RecordFreed, world.threads[1], world.lock, 0, world.threads[1]);
        ring.goOnIn(next, row);
        const trace::Record freed = trace::StateIndex(ring.trace()).at(ring.trace()->reached()).records.at(world.lock);
        QCOMPARE(freed.owner, trace::kNoEntity);
        QCOMPARE(freed.waiters, 7);
        int told = 0;
        for (std::size_t i = 0; i < ring.trace()->size(); ++i)
            told += ring.trace()->kindAt(i) == EventKind::RecordFreed;
        QCOMPARE(told, 1);
    }

    /// Files that turn: each can be read by itself, and both together stay within the bounds.
    void aRingKeepsTheEnd() {
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("ring.lockscope"));
        const QString before = trace::fileBefore(path);
        QCOMPARE(QFileInfo(before).fileName(), QStringLiteral("ring.before.lockscope"));
        TurnsWorld world;
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
            // The watch goes on in another trace, and so does the recording.
            const auto why = world.trace->text("left-out");
            trace::Excerpt end(world.trace, world.now - 2s, {world.node, why});
            const std::size_t row = end.takeTrace()->size();
            world.trace = end.takeTrace();
            world.recorder = trace::Recorder(world.trace, [&world] { return world.now; });
            ring->goOnIn(world.trace, row);
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
