// SPDX-License-Identifier: Apache-2.0
#include "runtime/call_queue.h"

#include <QTest>
#include <map>
#include <random>

using namespace lockscope;
using namespace std::chrono_literals;

class TestCallQueue : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void whatIsDueComesInOrder() {
        CallQueue queue;
        QByteArray called;
        queue.add(2s, [&] { called += 'c'; });
        queue.add(1s, [&] { called += 'a'; });
        queue.add(1s, [&] { called += 'b'; }); // of one instant: as they came
        QCOMPARE(queue.next(), Nanos(1s));
        QVERIFY(!queue.takeDue(999ms));
        while (const auto call = queue.takeDue(1s))
            call();
        QCOMPARE(called, QByteArray("ab"));
        while (const auto call = queue.takeDue(1h))
            call();
        QCOMPARE(called, QByteArray("abc"));
        QCOMPARE(queue.next(), kNever);
    }

    void whatIsCalledOffIsForgottenAtOnce() {
        CallQueue queue;
        const auto held = std::make_shared<int>(1);
        const auto id = queue.add(1s, [held] {});
        QCOMPARE(held.use_count(), 2L);
        queue.cancel(id);
        QCOMPARE(held.use_count(), 1L);
        const auto next = queue.add(2s, [] {}); // in the same place, by another number
        QVERIFY(next != id);
        queue.cancel(id);
        QVERIFY(queue.takeDue(3s));
        queue.cancel(next); // called already
        QVERIFY(!queue.takeDue(3s));
    }

    /// Against an ordered map, with far more called off than called, as time-outs are.
    void agreesWithAnOrderedMap() {
        std::mt19937 random(42);
        CallQueue queue;
        std::map<std::pair<Nanos, int>, CallQueue::Id> expected;
        std::vector<int> called, wanted;
        Nanos now{};
        int made = 0;
        const auto add = [&](int times) {
            for (int i = 0; i < times; ++i) {
                const Nanos at = now + Nanos(random() % 1000);
                const int name = made++;
                expected[{at, name}] = queue.add(at, [&called, name] { called.push_back(name); });
            }
        };
        const auto cancel = [&](std::size_t times) {
            for (; times > 0 && !expected.empty(); --times) {
                const auto one = std::next(expected.begin(), long(random() % expected.size()));
                queue.cancel(one->second);
                expected.erase(one);
            }
        };
        for (int round = 0; round < 500; ++round) {
            add(40);
            cancel(36);
            now += Nanos(random() % 200);
            while (const auto call = queue.takeDue(now))
                call();
            while (!expected.empty() && expected.begin()->first.first <= now) {
                wanted.push_back(expected.begin()->first.second);
                expected.erase(expected.begin());
            }
            QCOMPARE(called, wanted);
            QVERIFY(expected.empty() || queue.next() <= expected.begin()->first.first);
        }
        QVERIFY2(wanted.size() > 500, qPrintable(QString::number(wanted.size())));
    }
};

QTEST_GUILESS_MAIN(TestCallQueue)
#include "tst_call_queue.moc"
