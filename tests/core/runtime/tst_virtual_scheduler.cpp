// SPDX-License-Identifier: Apache-2.0
#include "runtime/virtual_scheduler.h"

#include <QTest>
#include <array>
#include <memory>
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

    // Calls for the present instant are kept apart from the others.
    void theOrderOfAddingCountsAlsoForTheSameInstant() {
        VirtualScheduler scheduler;
        QByteArray order;
        scheduler.at(1s, [&] {
            order += 'a';
            scheduler.at(1s, [&] { order += 'c'; });
            const auto dropped = scheduler.at(1s, [&] { order += '!'; });
            scheduler.at(0s, [&] { order += 'd'; }); // the past is now
            scheduler.cancel(dropped);
            QCOMPARE(scheduler.nextAt(), std::optional<Nanos>(1s));
        });
        scheduler.at(1s, [&] { order += 'b'; }); // added before them
        scheduler.at(1s + 1ns, [&] { order += 'e'; });
        QVERIFY(!scheduler.runNext(999ms));
        scheduler.runUntil(2s);
        QCOMPARE(order, QByteArray("abcde"));
    }

    void whatACallHoldsGoesWithIt_data() {
        QTest::addColumn<bool>("large");
        QTest::addRow("within the call") << false;
        QTest::addRow("on the heap") << true;
    }
    void whatACallHoldsGoesWithIt() {
        QFETCH(bool, large);
        VirtualScheduler scheduler;
        const auto held = std::make_shared<int>(0);
        const auto add = [&](Nanos when) {
            auto own = std::make_unique<std::shared_ptr<int>>(held); // such a call cannot be copied
            if (!large) return scheduler.at(when, [own = std::move(own)] { ++**own; });
            return scheduler.at(
                when, [own = std::move(own), more = std::array<std::int64_t, 20>{1}] { **own += int(more[0]); });
        };
        const auto cancelled = add(1s);
        add(2s);
        add(0s);
        QCOMPARE(held.use_count(), 4L);
        scheduler.cancel(cancelled);
        QCOMPARE(held.use_count(), 3L);
        scheduler.runUntil(3s);
        QCOMPARE(*held, 2);
        QCOMPARE(held.use_count(), 1L);
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
