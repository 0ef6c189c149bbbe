// SPDX-License-Identifier: Apache-2.0
#include "runtime/call_list.h"
#include "runtime/virtual_runtime.h"

#include <QTest>

using namespace lockscope;

class TestCallList : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void callsWhoIsThereInOrderAndLater() {
        CallList list;
        std::vector<int> called;
        auto first = list.add([&] { called.push_back(1); });
        const auto second = list.add([&] {
            called.push_back(2);
            first.reset();
        });
        list.callSoon(m_runtime);
        QVERIFY(called.empty()); // not from inside the caller
        m_scheduler.runUntil(m_scheduler.now());
        QCOMPARE(called, (std::vector<int>{1, 2}));
        list.callSoon(m_runtime);
        m_scheduler.runUntil(m_scheduler.now());
        QCOMPARE(called, (std::vector<int>{1, 2, 2}));
    }
    void whoLeavesBeforeTheCallIsNotCalled() {
        auto list = std::make_unique<CallList>();
        int called = 0;
        auto kept = list->add([&] { ++called; });
        auto gone = list->add([&] { ++called; });
        list->callSoon(m_runtime);
        gone.reset();
        list.reset(); // the list may go: whoever is registered is called
        m_scheduler.runUntil(m_scheduler.now());
        QCOMPARE(called, 1);
    }
    void forgetsWhoHasLeft() {
        CallList list;
        QVERIFY(list.empty());
        std::vector<CallList::Registration> some;
        for (int i = 0; i < 1000; ++i) {
            some.push_back(list.add([] {}));
            if (i % 3 == 0) some.clear();
        }
        QVERIFY(list.empty());
        const auto one = list.add([] {});
        QVERIFY(!list.empty());
    }

private:
    VirtualScheduler m_scheduler;
    VirtualRuntime m_runtime{m_scheduler, 1};
};

QTEST_GUILESS_MAIN(TestCallList)
#include "tst_call_list.moc"
