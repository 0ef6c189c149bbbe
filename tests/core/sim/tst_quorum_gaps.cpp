// SPDX-License-Identifier: Apache-2.0
// The record across a time without a quorum: nobody can tell it meanwhile, and then it says how a hold really ended.
#include "recipes/recipe_info.h"
#include "scenario_runs.h"
#include "trace/trace.h"

using namespace lockscope;
using namespace lockscope::tests;
using scenario::Action;
using scenario::Fault;
using scenario::Scenario;
using trace::Event;
using trace::EventKind;
using trace::FreedBy;

namespace {

/// One of three servers is dead, and another one dies just as a holder gives its lock back, for a while.
Scenario releasedAsTheQuorumGoes(const QByteArray& recipe, const QByteArray& kind, Nanos after) {
    Scenario made;
    made.id = made.title = QStringLiteral("quorum-gap");
    made.recipe = QString::fromLatin1(recipe);
    made.until = 40s;
    made.lock.lease = 10s;
    made.lock.watchdog = 2s;
    made.workload.clients = 3;
    made.workload.hold = {500ms, 1500ms};
    made.workload.think = {50ms, 300ms};
    scenario::ServiceSpec service = scenario::defaultService(QString::fromLatin1(kind));
    service.nodes = 3;
    made.setServices({service});
    const QString prefix = kind == "etcd" ? QStringLiteral("etcd-") : QStringLiteral("zk-");
    Fault first;
    first.at = 5s;
    first.action = Action::KillNode;
    first.target = prefix + u'3';
    Fault second = first;
    second.at = 12s;
    second.target = prefix + u'1';
    second.duration = 3s;
    second.when = scenario::Trigger{.on = scenario::Trigger::On::Step, .after = after};
    second.when->step = int(recipes::findRecipe(recipe)->steps.size()); // the last one gives it back
    made.faults = {first, second};
    return made;
}

/// How the logical record's holds ended at the instants at which it was seen again.
std::vector<Event> endsSeenAfterGaps(const trace::Trace& trace) {
    std::vector<Event> ends;
    for (const Event& seen : rows(trace, EventKind::RecordObserved))
        for (const Event& freed : rows(trace, EventKind::RecordFreed))
            if (freed.at == seen.at && freed.subject == seen.subject && trace.copyOf(freed.subject) == 0)
                ends.push_back(freed);
    return ends;
}

} // namespace

class TestQuorumGaps final : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aReleaseThatWasCarriedOutIsNoLoss_data() {
        QTest::addColumn<QByteArray>("recipe");
        QTest::addColumn<QByteArray>("kind");
        QTest::newRow("zk-mutex") << QByteArray("zk-mutex") << QByteArray("zookeeper");
        QTest::newRow("etcd-lease") << QByteArray("etcd-lease") << QByteArray("etcd");
    }
    void aReleaseThatWasCarriedOutIsNoLoss() {
        QFETCH(QByteArray, recipe);
        QFETCH(QByteArray, kind);
        std::size_t released = 0;
        for (std::uint64_t seed = 1; seed <= 2 * kSeeds; ++seed) {
            const auto report = experiment::run(releasedAsTheQuorumGoes(recipe, kind, 50us * std::int64_t(seed)), seed);
            for (const Event& freed : endsSeenAfterGaps(*report.trace)) {
                // Nobody has lost its data.
                QVERIFY2(reasonOf(freed) != FreedBy::NodeLoss, QByteArray::number(qulonglong(seed)));
                if (reasonOf(freed) != FreedBy::Release) continue;
                ++released;
                QCOMPARE(freed.actor, freed.aux); // by its owner
            }
        }
        QVERIFY2(released > 0, "no release fell into a gap");
    }
};

QTEST_GUILESS_MAIN(TestQuorumGaps)
#include "tst_quorum_gaps.moc"
