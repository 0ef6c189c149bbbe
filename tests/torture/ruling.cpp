// SPDX-License-Identifier: Apache-2.0
#include "ruling.h"

#include "merger.h"
#include "trace/state.h"

#include <algorithm>
#include <set>

namespace lockscope::torture {

using trace::EntityId;
using trace::Event;
using trace::EventKind;
using verdict::Invariant;

namespace {

constexpr Nanos kFifoSlack = 500ms; ///< one machine, one clock

/// Counts grants at which the order could have been seen to be wrong: to one that others who had certainly come later
/// were waiting behind. Readers' orders are not judged.
class Order {
public:
    void look(const Event& e) {
        const std::pair<EntityId, EntityId> key(e.subject, e.actor);
        if (e.kind == EventKind::Requested) {
            m_waiting[key] = e.at;
        } else if (e.kind == EventKind::GrantedAs) {
            if (e.value == std::int64_t(trace::HoldMode::Shared)) m_readers.insert(key);
        } else if (e.kind == EventKind::Granted) {
            const bool reads = m_readers.erase(key) > 0;
            tokens += e.value > 0 && !reads;
            const auto mine = m_waiting.find(key);
            if (mine == m_waiting.end()) return;
            for (auto other = m_waiting.lower_bound({e.subject, 0});
                 !reads && other != m_waiting.end() && other->first.first == e.subject; ++other) {
                if (other->second <= mine->second + kFifoSlack.count()) continue;
                ++occasions;
                break;
            }
            m_waiting.erase(mine);
        } else if (e.kind == EventKind::TimedOut || e.kind == EventKind::Interrupted ||
                   e.kind == EventKind::AcquireFailed) {
            m_waiting.erase(key);
        }
    }
    int occasions = 0;
    int tokens = 0; ///< of those who held alone

private:
    std::set<std::pair<EntityId, EntityId>> m_readers;               ///< who gets which lock next as a reader
    std::map<std::pair<EntityId, EntityId>, std::int64_t> m_waiting; ///< since when, by lock and thread
};

void countOccasions(Ruling& ruling) {
    Order order;
    int again = 0;
    for (std::size_t row = 0; row < ruling.trace->size(); ++row) {
        const Event e = ruling.trace->at(row);
        order.look(e);
        again += e.kind == EventKind::Reentered;
    }
    ruling.occasions[Invariant::MutualExclusion] = ruling.acquisitions;
    ruling.occasions[Invariant::TokenOrder] = order.tokens;
    ruling.occasions[Invariant::Reentrancy] = again;
    ruling.occasions[Invariant::Fifo] = order.occasions;
}

verdict::Verdict judged(const std::shared_ptr<const trace::Trace>& trace, const Subject& subject) {
    verdict::Bounds bounds;
    bounds.progress = kNever;
    bounds.fair = subject.recipe.fair;
    bounds.fifoSlack = kFifoSlack;
    verdict::Judge judge(trace, bounds);
    judge.consume();
    return judge.verdict(true);
}

/// Whether two who may not hold a lock together did so within a violation even without those that were stopped.
bool remains(const verdict::Violation& v, const verdict::Verdict& rest) {
    return std::ranges::any_of(rest.violations, [&](const verdict::Violation& other) {
        return other.invariant == v.invariant && other.lock == v.lock && other.from <= v.to && other.to >= v.from;
    });
}

} // namespace

QString whyNotJudged(Invariant invariant, const recipes::RecipeInfo& recipe) {
    switch (invariant) {
    case Invariant::MutualExclusion:
    case Invariant::Ownership:
        return {};
    case Invariant::TokenOrder:
        return recipe.token ? QString() : QStringLiteral("it gives no tokens");
    case Invariant::Reentrancy:
        return recipe.reentrant ? QString() : QStringLiteral("it counts nothing: a thread that asks again waits");
    case Invariant::Fifo:
        return recipe.fair ? QString() : QStringLiteral("it promises no order");
    case Invariant::Progress:
        return QStringLiteral("all locks are taken once more at the end instead");
    case Invariant::StaleWrite:
        return QStringLiteral("counters that cannot refuse must be right at the end instead");
    case Invariant::NoDeadlock:
        return QStringLiteral("nobody wants a second lock while holding one");
    }
    return {};
}

Ruling rule(const Subject& subject, const Plan& plan, const Chronicle& chronicle) {
    Ruling ruling;
    ruling.trace = std::make_shared<trace::Trace>();
    ruling.complaints = chronicle.defects;
    Merger merger(ruling);
    merger.take(chronicle);
    countOccasions(ruling);

    ruling.verdict = judged(ruling.trace, subject);
    const verdict::Verdict rest =
        judged(withoutPausedBeliefs(*ruling.trace, merger.ordeal(), subject.recipe.heldBy, plan.lease), subject);

    for (const verdict::Violation& v : ruling.verdict.violations) {
        if (v.invariant == Invariant::Progress) continue;
        if (v.invariant == Invariant::MutualExclusion && !remains(v, rest)) {
            for (std::size_t i = 0; i < kLocks; ++i)
                ruling.pausedBeliefs[i] += v.lock == merger.entityOf(i);
            continue;
        }
        ruling.violations << QString::fromLatin1(verdict::invariantId(v.invariant)) + QStringLiteral(": ") +
                                 verdict::explain(v, *ruling.trace);
    }
    if (ruling.verdict.outcomes[std::size_t(Invariant::Ownership)] == verdict::Outcome::Unknown)
        ruling.complaints << QStringLiteral("what the server said does not tell whose its locks were");
    for (std::size_t i = 0; i < kLocks; ++i)
        if (ruling.pausedBeliefs[i] == 0) ruling.complaints << merger.readersDefects(i);
    for (std::size_t i = 0; i < chronicle.counters.size(); ++i) {
        // A process killed between writing and telling has written once more than it told; a stopped process that
        // believed on in this lock may have written an old number.
        const std::int64_t least = merger.increments(i), most = least + ruling.kills, is = chronicle.counters[i];
        if (is > most || (is < least && ruling.pausedBeliefs[i] == 0))
            ruling.violations << QStringLiteral("the counter of lock %1 says %2 after %3 increments")
                                     .arg(QString::number(i), QString::number(is), QString::number(least));
    }
    ruling.complaints << ruling.violations;
    return ruling;
}

} // namespace lockscope::torture
