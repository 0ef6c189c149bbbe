// SPDX-License-Identifier: GPL-3.0-or-later
// trace::State is what a trace means; lanes keep the past of it. Random traces, folded both ways, must not disagree.
#include "synthetic/synthetic.h"
#include "timeline/timeline_data.h"
#include "trace/state.h"
#include "verdict/chronicle.h"

#include <QRandomGenerator>
#include <QTest>

using namespace lockscope;
using namespace lockscope::views;
using trace::Belief;
using trace::EntityId;
using trace::EventKind;
using trace::HoldMode;

namespace {

/// Rows as no world would write them, in any order: what one fold makes of them, the other one does, too.
class Chaos {
public:
    explicit Chaos(quint32 seed) : m_dice(seed) {
        m_node = trace->intern(trace::EntityKind::Node, "redis-1");
        for (const char* name : {"redis-1", "redis-2", "redis-3"})
            m_nodes.push_back(trace->intern(trace::EntityKind::Node, name));
        for (const char* name : {"orders", "stock"})
            m_locks.push_back(trace->intern(trace::EntityKind::Lock, name, m_node));
        for (const char* name : {"A", "B", "C", "D"}) {
            m_clients.push_back(trace->intern(trace::EntityKind::Client, name));
            m_threads.push_back(trace->intern(trace::EntityKind::Thread, "1", m_clients.back()));
        }
    }
    void write(int rows) {
        for (int i = 0; i < rows; ++i) {
            m_at += below(3) == 0 ? 0 : 1'000'000LL * below(400);
            row();
        }
    }
    std::shared_ptr<trace::Trace> trace = std::make_shared<trace::Trace>();
    const std::vector<EntityId>& locks() const { return m_locks; }
    const std::vector<EntityId>& threads() const { return m_threads; }
    const std::vector<EntityId>& nodes() const { return m_nodes; }

private:
    int below(int n) { return int(m_dice.bounded(n)); }
    void add(EventKind kind, EntityId actor, EntityId subject = 0, std::int64_t value = 0, std::uint32_t aux = 0,
             std::uint8_t flags = 0) {
        trace->append({m_at, value, actor, subject, aux, kind, flags});
    }
    void row() {
        const std::size_t who = std::size_t(below(int(m_threads.size())));
        const EntityId thread = m_threads[who], client = m_clients[who];
        const EntityId lock = m_locks[std::size_t(below(int(m_locks.size())))];
        const std::int64_t later = below(4) ? m_at + 1'000'000LL * below(3000) : -1;
        const auto mode = std::uint8_t(below(3));
        switch (below(30)) {
        case 0:
        case 1:
            return add(EventKind::Requested, thread, lock, -1);
        case 2:
        case 3:
            if (mode) add(EventKind::GrantedAs, thread, lock, mode, 1);
            return add(EventKind::Granted, thread, lock, 0, std::uint32_t(below(3)));
        case 4:
            return add(EventKind::TimedOut, thread, lock, 1);
        case 5:
        case 6:
            return add(EventKind::BelievedUntil, thread, lock, later);
        case 7:
            return add(EventKind::Lost, thread, lock);
        case 8:
            return add(EventKind::ReleaseSent, thread, lock);
        case 9:
            return add(EventKind::Released, thread, lock, 0, std::uint32_t(below(2)));
        case 10:
            return add(EventKind::AcquireFailed, thread, lock, 0, trace->text("foreign-format"));
        case 11:
        case 12:
            return add(EventKind::RecordHeld, thread, lock, later, 1, mode);
        case 13:
            return add(EventKind::RecordRenewed, thread, lock, later, 1, mode);
        case 14:
        case 15:
            return add(EventKind::RecordFreed, thread, lock, 0, thread, std::uint8_t(below(5)));
        case 16:
            return add(EventKind::RecordWaiters, 0, lock, below(5) - 1);
        case 17:
            return add(below(2) ? EventKind::RecordUnobserved : EventKind::RecordObserved, 0, lock);
        case 18:
        case 19:
            return add(EventKind::RecordHolder, thread, lock, later, 1, mode);
        case 20:
            return add(EventKind::RecordHolderGone, 0, lock, 0, thread,
                       trace::goneFlags(trace::FreedBy::Release, HoldMode(mode)));
        case 21:
            return add(below(2) ? EventKind::RecordHolders : EventKind::RecordPermits, 0, lock, below(6) - 1,
                       std::uint32_t(below(6)));
        case 22:
            return add(EventKind::ClientPaused, client);
        case 23:
            return add(EventKind::ClientResumed, client);
        case 24:
            return add(below(2) ? EventKind::ClientKilled : EventKind::ClientStarted, client);
        case 25:
            return add(below(5) ? EventKind::RecordToken : EventKind::Healed, 0, below(5) ? lock : 0, below(9));
        case 26:
            return add(EventKind::NodeRole, anyNode(), below(3) ? anyNode() : 0, 0,
                       trace->text(below(3) ? "replica" : "master"), below(4) ? 0 : trace::kCopiesNobody);
        case 27:
            return add(EventKind::ReplicationLag, anyNode(), below(2) ? anyNode() : 0,
                       below(4) ? 1'000'000LL * below(2000) : -1, 0,
                       std::uint8_t(below(3) ? trace::LagUnit::Time : trace::LagUnit::Bytes));
        case 28:
            return add(EventKind::FailoverStep, anyNode(), anyNode(),
                       int(below(2) ? trace::FailoverPhase::Chosen : trace::FailoverPhase::Abandoned));
        default:
            return add(EventKind::RecordDeadline, thread, lock, later);
        }
    }

    EntityId anyNode() { return m_nodes[std::size_t(below(int(m_nodes.size())))]; }

    QRandomGenerator m_dice;
    EntityId m_node;
    std::vector<EntityId> m_nodes; ///< with roles
    std::vector<EntityId> m_locks, m_clients, m_threads;
    std::int64_t m_at = 0;
};

const Span* openSpan(const SpanTrack& track) {
    return track.hasOpen() ? &track.back() : nullptr;
}

/// "waiting", "holding", "idle" of a belief's lane after the rows folded so far.
QString phaseOf(const Lane* lane) {
    const Span* const span = lane ? openSpan(lane->spans) : nullptr;
    if (!span) return QStringLiteral("idle");
    return span->state == unsigned(BeliefState::Waiting) ? QStringLiteral("waiting") : QStringLiteral("holding");
}

QString phaseOf(const Belief& belief) {
    return belief.phase == Belief::Phase::Idle      ? QStringLiteral("idle")
           : belief.phase == Belief::Phase::Waiting ? QStringLiteral("waiting")
                                                    : QStringLiteral("holding");
}

const Lane* beliefLane(const TimelineData& data, EntityId thread, EntityId lock) {
    for (const auto& lane : data.lanes())
        if (lane->kind == LaneKind::Belief && lane->entity == thread && lane->other == lock) return lane.get();
    return nullptr;
}

const Lane* recordLane(const TimelineData& data, EntityId lock) {
    for (const auto& lane : data.lanes())
        if (lane->kind == LaneKind::Record && lane->entity == lock) return lane.get();
    return nullptr;
}

const Lane* nodeLane(const TimelineData& data, EntityId node) {
    for (const auto& lane : data.lanes())
        if (lane->kind == LaneKind::Node && lane->entity == node) return lane.get();
    return nullptr;
}

/// "replica of 3, behind 200": the number is in the lanes' unit.
QString roleOf(const TimelineData& data, EntityId node) {
    const Lane* const lane = nodeLane(data, node);
    const Span* const role = lane ? openSpan(lane->roles) : nullptr;
    if (!role) return QStringLiteral("unknown");
    const Span* const lag = openSpan(lane->lag);
    return QStringLiteral("%1 of %2, behind %3").arg(role->state).arg(role->label).arg(lag ? int(lag->label) : -1);
}

QString roleOf(const trace::State& state, const trace::Trace& trace, EntityId id) {
    const auto found = state.nodes.find(id);
    if (found == state.nodes.end() || found->second.role == trace::kNoEntity) return QStringLiteral("unknown");
    const trace::NodeState& node = found->second;
    const bool replica = !trace::isMasterRole(trace.entity(node.role).name);
    const bool looking = trace.entity(node.role).name == "looking";
    const RoleBand band = looking             ? RoleBand::Looking
                          : !replica          ? RoleBand::Master
                          : node.candidate    ? RoleBand::Candidate
                          : node.copiesNobody ? RoleBand::Orphan
                                              : RoleBand::Replica;
    const bool timed =
        replica && !looking && !node.copiesNobody && node.lag >= 0 && node.lagUnit == trace::LagUnit::Time;
    return QStringLiteral("%1 of %2, behind %3")
        .arg(unsigned(band))
        .arg(band == RoleBand::Replica ? node.follows : 0)
        .arg(timed ? int(node.lag / kLagUnit) : -1);
}

/// Where the two folds disagree after the rows folded so far; empty: nowhere.
QStringList differences(const TimelineData& data, const trace::State& state, const std::vector<EntityId>& locks,
                        const std::vector<EntityId>& threads) {
    QStringList all;
    const auto compare = [&all](const QString& what, const QString& lane, const QString& stated) {
        if (lane != stated) all << QStringLiteral("%1: lane %2, state %3").arg(what, lane, stated);
    };
    for (const EntityId lock : locks) {
        const auto found = state.records.find(lock);
        const trace::Record record = found == state.records.end() ? trace::Record{} : found->second;
        const Lane* const lane = recordLane(data, lock);
        const Span* const span = lane ? openSpan(lane->spans) : nullptr;
        const bool gap = span && span->state == unsigned(RecordState::Unobserved);
        const QString name = QString::fromUtf8(data.trace().entity(lock).name);
        compare(name + QStringLiteral(" observed"), QString::number(!gap), QString::number(record.observed));
        if (record.observed) {
            compare(name + QStringLiteral(" owner"), QString::number(span ? span->label : 0),
                    QString::number(record.owner));
            const Span* const queue = lane ? openSpan(lane->queue) : nullptr;
            compare(name + QStringLiteral(" waiters"), QString::number(queue ? queue->label : 0),
                    QString::number(std::max<std::int64_t>(record.waiters, 0)));
            const Span* const holders = lane ? openSpan(lane->holders) : nullptr;
            const auto named = record.holders.empty() ? 0 : record.holderCount();
            compare(name + QStringLiteral(" holders"),
                    QString::number(holders ? HolderCount::of(holders->label).held : 0), QString::number(named));
        }
        for (const EntityId thread : threads) {
            const auto belief = state.beliefs.find({lock, thread});
            compare(QStringLiteral("%1 of %2").arg(name, data.trace().displayName(thread)),
                    phaseOf(beliefLane(data, thread, lock)),
                    phaseOf(belief == state.beliefs.end() ? Belief{} : belief->second));
        }
    }
    return all;
}

} // namespace

class TestTwoFolds : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void lanesSayWhatTheStateSays_data() {
        QTest::addColumn<quint32>("seed");
        for (quint32 seed = 1; seed <= 40; ++seed)
            QTest::addRow("seed %u", seed) << seed;
    }
    void lanesSayWhatTheStateSays() {
        QFETCH(quint32, seed);
        Chaos chaos(seed);
        chaos.write(1500);
        TimelineData data(chaos.trace);
        trace::State state;
        for (std::size_t row = 0; row < chaos.trace->size(); ++row) {
            data.consume(row + 1);
            state.apply(chaos.trace->at(row), *chaos.trace);
            const QStringList found = differences(data, state, chaos.locks(), chaos.threads());
            for (const EntityId node : chaos.nodes())
                QCOMPARE(roleOf(data, node), roleOf(state, *chaos.trace, node));
            QVERIFY2(found.isEmpty(), qPrintable(QStringLiteral("after row %1 (%2): %3")
                                                     .arg(row)
                                                     .arg(QLatin1String(trace::kindName(chaos.trace->kindAt(row))))
                                                     .arg(found.join(QStringLiteral("; ")))));
        }
    }

    void aWorldsTraceIsTheSameInBoth() {
        const auto trace = trace::syntheticTrace(60'000, 12, 7);
        std::vector<EntityId> locks, threads;
        for (EntityId id = 1; id < trace->entityCount(); ++id) {
            if (trace->entity(id).kind == trace::EntityKind::Lock) locks.push_back(id);
            if (trace->entity(id).kind == trace::EntityKind::Thread) threads.push_back(id);
        }
        TimelineData data(trace);
        trace::State state;
        for (std::size_t row = 0; row < trace->size(); ++row) {
            data.consume(row + 1);
            state.apply(trace->at(row), *trace);
            if (row % 97) continue;
            const QStringList found = differences(data, state, locks, threads);
            QVERIFY2(found.isEmpty(), qPrintable(found.join(QStringLiteral("; "))));
            for (const EntityId lock : locks) {
                const auto record = state.records.find(lock);
                QCOMPARE(verdict::ownerAfter(row, lock, *trace),
                         record == state.records.end() ? trace::kNoEntity : record->second.owner);
            }
        }
    }
};

QTEST_GUILESS_MAIN(TestTwoFolds)
#include "tst_two_folds.moc"
