// SPDX-License-Identifier: Apache-2.0
// Clients of our own on a real Redis that run programs: readers beside readers, and several locks.
#include "live/live_session.h"
#include "own_redis.h"
#include "trace/state.h"

using namespace lockscope;
using namespace lockscope::test;
using live::LiveSession;
using scenario::ProgramStep;
using Do = scenario::ProgramStep::Do;
using trace::Belief;
using trace::EventKind;
using trace::HoldMode;

namespace {

ProgramStep step(Do act, const QStringList& locks = {}, ProgramStep::Hold hold = ProgramStep::Hold::Exclusive) {
    ProgramStep made;
    made.act = act;
    made.locks = locks;
    made.hold = hold;
    return made;
}

scenario::Scenario quick(const char* recipe, std::vector<ProgramStep> first, std::vector<ProgramStep> second) {
    scenario::Scenario settings;
    settings.recipe = QString::fromLatin1(recipe);
    settings.lock.name = QStringLiteral("orders");
    settings.lock.lease = 5s;
    settings.lock.watchdog = 1s;
    settings.workload.hold = {30ms, 80ms};
    settings.workload.think = {10ms, 50ms};
    settings.workload.writeEvery = {10ms, 20ms};
    settings.programs = {{QStringLiteral("first"), std::move(first)}, {QStringLiteral("second"), std::move(second)}};
    settings.groups = {{QStringLiteral("first"), 3}, {QStringLiteral("second"), 2}};
    return settings;
}

scenario::Fault clients(const char* number) {
    scenario::Fault fault;
    fault.action = scenario::Action::Set;
    fault.setting = QStringLiteral("clients");
    fault.text = QString::fromLatin1(number);
    return fault;
}

int granted(const LiveSession& session, const QByteArray& lock) {
    const auto trace = session.trace();
    int found = 0;
    for (std::size_t i = 0; i < trace->size(); ++i)
        if (trace->kindAt(i) == EventKind::Granted && trace->entity(trace->at(i).subject).name == lock) ++found;
    return found;
}

} // namespace

class tst_live_programs : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { VERIFY_EMPTY(m_redis.startAnew()); }
    void cleanup() { m_redis.end(); }

    void readersReadTogetherAndNeverBesideAWriter() {
        LiveSession session(
            m_redis.url(), true,
            quick("redis-rw",
                  {step(Do::Think), step(Do::Take, {}, ProgramStep::Hold::Shared), step(Do::Work), step(Do::Release)},
                  {step(Do::Think), step(Do::Take), step(Do::Work), step(Do::Release)}));
        session.apply(clients("5"), Nanos(0));
        QTRY_VERIFY_WITH_TIMEOUT(count(session, EventKind::Granted) >= 60, 60'000);
        const auto trace = session.trace();
        trace::State state;
        int mostReaders = 0, mostWriters = 0;
        std::size_t mostRecorded = 0;
        for (std::size_t i = 0; i < trace->size(); ++i) {
            state.apply(trace->at(i), *trace);
            int readers = 0, writers = 0;
            for (const auto& [key, belief] : state.beliefs) {
                if (belief.phase != Belief::Phase::Holding) continue;
                (belief.mode == HoldMode::Shared ? readers : writers) += 1;
            }
            QVERIFY(writers == 0 || (writers == 1 && readers == 0));
            mostReaders = std::max(mostReaders, readers);
            mostWriters = std::max(mostWriters, writers);
            for (const auto& [lock, record] : state.records)
                mostRecorded = std::max(mostRecorded, record.holders.size());
        }
        QVERIFY(mostReaders >= 2);
        QVERIFY(mostRecorded >= 2);
        QCOMPARE(mostWriters, 1);
        QVERIFY2(session.verdict()->violations.empty(), qPrintable(explainAll(session)));
    }

    void severalLocksAsOneAndOneByOne() {
        const QString orders = QStringLiteral("orders"), stock = QStringLiteral("stock");
        auto settings = quick(
            "redis-reentrant",
            {step(Do::Think), step(Do::Take, {orders, stock}), step(Do::Work), step(Do::Release, {orders, stock})},
            {step(Do::Think), step(Do::Take, {stock}), step(Do::Work), step(Do::Release, {stock})});
        scenario::NamedLock more;
        more.settings = settings.lock;
        more.settings.name = stock;
        settings.moreLocks = {more};
        LiveSession session(m_redis.url(), true, settings);
        session.apply(clients("5"), Nanos(0));
        // Clients that need both locks wait behind those that need one, and how long is up to the machine: wait for
        // enough of both kinds, not for a sum.
        QTRY_VERIFY_WITH_TIMEOUT(granted(session, "orders") > 5, 60'000);
        QTRY_VERIFY_WITH_TIMEOUT(granted(session, "stock") > granted(session, "orders"), 60'000); // some take it alone
        QVERIFY2(session.verdict()->violations.empty(), qPrintable(explainAll(session)));
    }

private:
    OwnRedis m_redis;
};

QTEST_GUILESS_MAIN(tst_live_programs)
#include "tst_live_programs.moc"
