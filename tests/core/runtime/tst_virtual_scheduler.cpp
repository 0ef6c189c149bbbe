// SPDX-License-Identifier: Apache-2.0
#include "runtime/virtual_scheduler.h"

#include <QTest>
#include <random>

using namespace lockscope;
using Rank = VirtualScheduler::Rank;

class TestVirtualScheduler : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void ordersByInstantThenRankThenAsking() {
        VirtualScheduler scheduler;
        QByteArray order;
        scheduler.at(2s, [&] { order += 'd'; });
        scheduler.at(
            1s, [&] { order += 'c'; }, Rank::Last);
        scheduler.at(
            1s, [&] { order += 'b'; }, Rank::Late);
        scheduler.at(1s, [&] {
            order += 'a';
            scheduler.at(1s, [&] { order += 'A'; }); // still before what is late at this instant
        });
        scheduler.runUntil(3s);
        QCOMPARE(order, QByteArray("aAbcd"));
        QCOMPARE(scheduler.now(), Nanos(3s));
    }

    void cancelledCallsNeverCome() {
        VirtualScheduler scheduler;
        int called = 0;
        const auto first = scheduler.at(1s, [&] { ++called; });
        scheduler.cancel(first);
        const auto second = scheduler.at(1s, [&] { called += 10; }); // may use the same slot again
        scheduler.cancel(first);                                     // an old id harms nobody
        scheduler.runUntil(2s);
        QCOMPARE(called, 10);
        scheduler.cancel(second); // after the fact: nothing
        QVERIFY(!scheduler.nextAt().has_value());
    }

    void aHundredThousandRandomCallsComeInOrder() {
        VirtualScheduler scheduler;
        std::mt19937_64 random(1);
        Nanos last{};
        int called = 0;
        for (int i = 0; i < 100'000; ++i) {
            const Nanos when(static_cast<std::int64_t>(random() % 1'000'000));
            const auto id = scheduler.at(when, [&, when] {
                QVERIFY(when >= last);
                last = when;
                ++called;
            });
            if (i % 4 == 0) scheduler.cancel(id);
        }
        scheduler.runUntil(1s);
        QCOMPARE(called, 75'000);
    }
};

QTEST_GUILESS_MAIN(TestVirtualScheduler)
#include "tst_virtual_scheduler.moc"
