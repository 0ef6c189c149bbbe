// SPDX-License-Identifier: Apache-2.0
#include "recipes/backoff.h"
#include "recipes/polling_rests.h"
#include "runtime/virtual_runtime.h"

#include <QTest>
#include <set>

using namespace lockscope;
using recipes::Backoff;
using recipes::PollingRests;

/// How long waiters rest between two looks.
class TestPauses : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void pollingBeginsShortAndGrowsToItsMost() {
        PollingRests rests(200ms);
        for (const Nanos most : {5ms, 10ms, 20ms, 40ms, 80ms, 160ms, 200ms, 200ms, 200ms}) {
            const Nanos nap = rests.next(m_runtime);
            QVERIFY(nap >= most / 2 && nap <= most);
        }
        PollingRests brief(2ms);
        for (int i = 0; i < 5; ++i)
            QVERIFY(brief.next(m_runtime) <= 2ms);
    }
    void waitersComeApart() {
        std::set<Nanos> naps, pauses;
        for (int i = 0; i < 20; ++i) {
            naps.insert(PollingRests(200ms).next(m_runtime));
            pauses.insert(Backoff().next(m_runtime, kNever));
        }
        QCOMPARE(naps.size(), 20U);
        QCOMPARE(pauses.size(), 20U);
    }
    void backoffGrowsEndsInTimeAndBeginsAnew() {
        Backoff backoff;
        for (const Nanos most : {100ms, 200ms, 400ms, 500ms, 500ms}) {
            const Nanos pause = backoff.next(m_runtime, kNever);
            QVERIFY(pause >= 50ms && pause <= most);
        }
        const Nanos now = m_runtime.monotonic();
        QVERIFY(backoff.next(m_runtime, now + 7ms) <= 7ms);
        QCOMPARE(backoff.next(m_runtime, now - 1ms), Nanos(0));
        backoff.reset();
        QVERIFY(backoff.next(m_runtime, kNever) <= 100ms);
    }

private:
    VirtualScheduler m_scheduler;
    VirtualRuntime m_runtime{m_scheduler, 7};
};

QTEST_GUILESS_MAIN(TestPauses)
#include "tst_pauses.moc"
