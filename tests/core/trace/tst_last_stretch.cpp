// SPDX-License-Identifier: Apache-2.0
// The end of a watch that goes on for long: from memory, and from the recording beside it.
#include "turns_world.h"

#include "trace/excerpt.h"
#include "trace/last_stretch.h"
#include "trace/server_told.h"

#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>

using namespace lockscope;
using trace::tests::TurnsWorld;

namespace {

/// A watch, and beside it the trace that it would have if nothing were left out.
struct Watch {
    TurnsWorld its, whole;
    trace::EntityId observer = name(its), sameObserver = name(whole);

    static trace::EntityId name(TurnsWorld& world) {
        world.trace->text(trace::kLeftOut.toByteArray()); // so that ids are equal in both
        return world.trace->intern(trace::EntityKind::Client, "lockscope");
    }
    void turns(int count) {
        for (; count > 0; --count) {
            its.turn();
            whole.turn();
        }
    }
    /// As a window does whose trace has become too long: the last `kept` of it stay. `ring` goes on in the new trace.
    void leaveOut(Nanos kept, trace::RingRecording* ring) {
        const auto why = its.trace->text(trace::kLeftOut.toByteArray());
        trace::Excerpt end(its.trace, its.now - kept, {observer, why});
        its.trace = end.takeTrace();
        its.recorder = trace::Recorder(its.trace, [this] { return its.now; });
        if (ring) ring->goOnIn(its.trace, its.trace->size());
    }
    /// The digest of the last `wanted` of all that happened.
    QByteArray digestOfLast(Nanos wanted) const {
        return trace::Excerpt(whole.trace, whole.now - wanted).trace()->digest();
    }
};

} // namespace

class TestLastStretch : public QObject {
    Q_OBJECT
    QTemporaryDir m_folder;

    QString path(const char* name) const { return m_folder.filePath(QLatin1String(name)); }

private Q_SLOTS:
    void aTraceWithAllOfItIsEnough() {
        Watch watch;
        watch.turns(20);
        const auto last = trace::lastStretch(watch.its.trace, 7s, nullptr);
        QCOMPARE(last.trace->digest(), watch.digestOfLast(7s));
        QCOMPARE(last.length, Nanos(7s));
        QCOMPARE(last.lacks, Nanos(0));
        const auto all = trace::lastStretch(watch.its.trace, 1h, nullptr); // the watch is younger than that
        QCOMPARE(all.length, watch.its.now);
        QCOMPARE(all.lacks, Nanos(0));
    }

    void withoutARecordingItSaysWhatItLacks() {
        Watch watch;
        watch.turns(20);
        watch.leaveOut(6s, nullptr);
        watch.turns(2);
        QCOMPARE(trace::keptFrom(*watch.its.trace), Nanos(20500ms - 6s));
        const auto last = trace::lastStretch(watch.its.trace, 15s, nullptr);
        QCOMPARE(last.length, Nanos(8s));
        QCOMPARE(last.lacks, Nanos(7s));
        QCOMPARE(last.trace->reached(), Nanos(8s));
        const auto inMemory = trace::lastStretch(watch.its.trace, 5s, nullptr);
        QCOMPARE(inMemory.trace->digest(), watch.digestOfLast(5s));
        QCOMPARE(inMemory.lacks, Nanos(0));
    }

    /// The recording has turned to a new file, and the trace has lost its beginning twice: nothing is missing, and
    /// nothing is told twice.
    void theRecordingHasWhatMemoryLost() {
        Watch watch;
        watch.turns(1);
        const QString file = path("ring.lockscope");
        const auto ring = trace::RingRecording::start(file, watch.its.trace, {}, {.keep = 40s});
        QVERIFY(ring->past());
        const Nanos begun = ring->past()->from;
        QCOMPARE(begun, watch.its.now);
        watch.turns(21);
        QVERIFY(ring->past()); // all until now is written: it is half of what may be kept
        QVERIFY(ring->past()); // … and the next file has begun
        QVERIFY(QFileInfo::exists(trace::fileBefore(file)));
        watch.turns(3);
        watch.leaveOut(10s, ring.get());
        watch.turns(3);
        watch.leaveOut(4s, ring.get());
        watch.turns(2);
        for (const Nanos wanted : {Nanos(3s), Nanos(9s), Nanos(26s)}) {
            const auto last = trace::lastStretch(watch.its.trace, wanted, ring.get());
            QCOMPARE(last.length, wanted);
            QCOMPARE(last.lacks, Nanos(0));
            QCOMPARE(last.trace->digest(), watch.digestOfLast(wanted));
        }
        const auto more = trace::lastStretch(watch.its.trace, 30s, ring.get()); // the recording began later
        QCOMPARE(more.lacks, begun - (watch.its.now - 30s));
        QCOMPARE(more.length, watch.its.now - begun);
        // Somebody tidies up: what the present file has is told still.
        QVERIFY(QFile::remove(trace::fileBefore(file)));
        const auto rest = trace::lastStretch(watch.its.trace, 26s, ring.get());
        QVERIFY2(rest.lacks > 0s && rest.lacks < 26s, qPrintable(QString::number(rest.lacks / 1ms)));
    }

    void aRecordingThatCannotBeIsNone() {
        Watch watch;
        watch.turns(20);
        QString why;
        const auto ring = trace::RingRecording::start(path("no/such/folder.lockscope"), watch.its.trace, {}, {},
                                                      [&why](const trace::RecordingError& e) { why = e.message; });
        QVERIFY(!ring->past());
        QVERIFY(!why.isEmpty());
        watch.leaveOut(6s, ring.get());
        QCOMPARE(trace::lastStretch(watch.its.trace, 15s, ring.get()).lacks, Nanos(9s));
    }
};

QTEST_GUILESS_MAIN(TestLastStretch)
#include "tst_last_stretch.moc"
