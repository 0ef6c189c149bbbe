// SPDX-License-Identifier: Apache-2.0
// The record of a simulated server, told whole by the recogniser that looks at real ones: queues by name, and what lies
// there.
#include "inspect/seen_content.h"
#include "sim/world.h"
#include "trace/state.h"

#include <QJsonArray>
#include <QJsonObject>
#include <QTest>
#include <set>

using namespace lockscope;
using scenario::Action;
using scenario::Fault;
using trace::EventKind;

namespace {

scenario::Scenario simple(const char* recipe, int clients) {
    scenario::Scenario s;
    s.id = s.title = QStringLiteral("record");
    s.recipe = QString::fromLatin1(recipe);
    s.lock.lease = 5s;
    s.workload.clients = clients;
    s.workload.hold = {300ms, 900ms};
    s.workload.think = {20ms, 200ms};
    return s;
}

struct Run {
    explicit Run(const scenario::Scenario& scenario, std::uint64_t seed = 1) : world(scenario, seed, trace) {}
    trace::State state() const {
        trace::State state;
        for (std::size_t i = 0; i < trace->size(); ++i)
            state.apply(trace->at(i), *trace);
        return state;
    }
    trace::Record record() const {
        const trace::State s = state();
        return s.records.empty() ? trace::Record{} : s.records.begin()->second;
    }
    inspect::SeenContent content() const {
        const trace::Record r = record();
        return inspect::contentFrom(trace->entity(r.content).name).value_or(inspect::SeenContent{});
    }
    QByteArray client(trace::EntityId thread) const { return trace->entity(trace->clientOf(thread)).name; }
    int count(EventKind kind) const {
        int n = 0;
        for (std::size_t i = 0; i < trace->size(); ++i)
            n += trace->kindAt(i) == kind;
        return n;
    }
    std::shared_ptr<trace::Trace> trace = std::make_shared<trace::Trace>();
    sim::World world;
};

Fault recipeTo(const char* recipe) {
    Fault f;
    f.action = Action::Set;
    f.setting = QStringLiteral("recipe");
    f.text = QString::fromLatin1(recipe);
    f.byHand = true;
    return f;
}

} // namespace

class TestSimulatedRecord : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aFairQueueIsKnownByName() {
        Run run(simple("redis-fair", 5));
        std::size_t longest = 0;
        for (Nanos t = 100ms; t < 12s; t += 100ms) {
            run.world.runUntil(t);
            const trace::Record record = run.record();
            longest = std::max(longest, record.queue.size());
            std::set<QByteArray> names;
            for (const trace::QueuedWaiter& waiter : record.queue) {
                const QByteArray name = run.client(waiter.thread);
                QVERIFY2(name.size() == 1, name.constData()); // a client of ours, not an id that nobody knows
                names.insert(name);
                QVERIFY(waiter.thread != record.owner);
            }
            QCOMPARE(names.size(), record.queue.size());
            if (record.waiters >= 0) QCOMPARE(std::int64_t(record.queue.size()), record.waiters);
        }
        QVERIFY2(longest >= 3, "the path that this is about was not reached");
        // Served in the order in which they stood there: whoever leaves the queue for the lock was its head.
        trace::State state;
        int served = 0;
        for (std::size_t i = 0; i < run.trace->size(); ++i) {
            const trace::Event e = run.trace->at(i);
            const trace::Record before = state.records[e.subject];
            if (e.kind == EventKind::RecordHeld && !before.queue.empty()) {
                QCOMPARE(run.client(before.queue.front().thread), run.client(e.actor));
                ++served;
            }
            state.apply(e, *run.trace);
        }
        QVERIFY(served >= 5);
    }

    void whatLiesThereIsWhatTheEngineHolds() {
        Run run(simple("redis-fair", 4));
        run.world.runUntil(8s);
        // No hint of it anywhere else: every content that was seen agrees with the record of the same instant.
        trace::State state;
        int compared = 0;
        for (std::size_t i = 0; i < run.trace->size(); ++i) {
            const trace::Event e = run.trace->at(i);
            state.apply(e, *run.trace);
            if (e.kind != EventKind::RecordContent) continue;
            const auto seen = inspect::contentFrom(run.trace->entity(e.aux).name);
            QVERIFY(seen);
            const trace::Record& record = state.records.at(e.subject);
            qsizetype queued = 0;
            bool held = false;
            for (const inspect::RawKey& key : seen->keys) {
                if (key.type == "list") queued = key.value.json().toArray().size();
                if (key.key != "orders") continue;
                held = true;
                QCOMPARE(key.type, QByteArray("hash"));
                const QJsonObject fields = key.value.json().toObject();
                QCOMPARE(fields.size(), 1);
                QCOMPARE(fields.begin().value().toString(), QString::number(record.holds));
                const std::int64_t end = e.at + *key.ttlMs * 1'000'000;
                QVERIFY2(std::abs(end - record.deadline) <= 1'000'000,
                         qPrintable(QString::number(end - record.deadline)));
            }
            QCOMPARE(held, record.owner != trace::kNoEntity);
            QCOMPARE(std::size_t(queued), record.queue.size());
            ++compared;
        }
        QVERIFY2(compared >= 10, qPrintable(QString::number(compared)));
    }

    void stringsAreShownAsTheyAre() {
        Run run(simple("redis-set", 2));
        run.world.runUntil(3s);
        bool seen = false;
        for (std::size_t i = 0; i < run.trace->size() && !seen; ++i) {
            const trace::Event e = run.trace->at(i);
            if (e.kind != EventKind::RecordContent) continue;
            const auto content = inspect::contentFrom(run.trace->entity(e.aux).name);
            QVERIFY(content && content->keys.size() <= 1);
            if (content->keys.empty()) continue;
            QCOMPARE(content->keys.front().type, QByteArray("string"));
            QCOMPARE(content->keys.front().value.json().toString().count(QLatin1Char(':')),
                     2); // client, thread, what is random
            seen = true;
        }
        QVERIFY(seen);
        QCOMPARE(run.trace->entity(run.record().format).name, QByteArray("lockscope"));
    }

    void aDeadServerShowsNothing() {
        Run run(simple("redis-set", 2));
        run.world.runUntil(3s);
        QVERIFY(run.record().content != trace::kNoEntity);
        Fault kill;
        kill.action = Action::KillNode;
        kill.target = QStringLiteral("redis-1");
        QVERIFY(run.world.apply(kill).has_value());
        QCOMPARE(run.record().content, trace::kNoEntity);
        QCOMPARE(run.record().owner, trace::kNoEntity);
    }

    void eachClientSaysByWhichRecipeItAsks() {
        Run run(simple("redis-set", 3));
        run.world.runUntil(3s);
        const int before = run.count(EventKind::AsksBy);
        QCOMPARE(before, 3); // once each
        QVERIFY(run.world.apply(recipeTo("redis-reentrant")).has_value());
        QCOMPARE(run.state().recipeSetAt, Nanos(3s).count());
        run.world.runUntil(8s);
        QCOMPARE(run.count(EventKind::AsksBy), 6); // from its next request on
        for (const auto& [key, belief] : run.state().beliefs)
            QCOMPARE(run.trace->entity(belief.recipe).name, QByteArray("redis-reentrant"));
    }

    void equalSeedsGiveEqualTraces() {
        Run one(simple("redis-fair", 5), 7), two(simple("redis-fair", 5), 7);
        one.world.runUntil(10s);
        for (Nanos t = 0s; t <= 10s; t += 333ms) // however often it is stopped on the way
            two.world.runUntil(t);
        two.world.runUntil(10s);
        QCOMPARE(one.trace->digest(), two.trace->digest());
    }
};

QTEST_GUILESS_MAIN(TestSimulatedRecord)
#include "tst_simulated_record.moc"
