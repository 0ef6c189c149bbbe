// SPDX-License-Identifier: GPL-3.0-or-later
// The timeline's words for servers, Sentinels and copies.
#include "models/role_words.h"
#include "theme/format.h"
#include "timeline/span_at.h"
#include "timeline/words.h"
#include "trace/decider.h"
#include "trace/doubt.h"

#include <QCoreApplication>
#include <algorithm>

namespace lockscope::views {

using trace::EntityId;

namespace {

struct Timeline {
    Q_DECLARE_TR_FUNCTIONS(Timeline)
};

/// Sentinels see a failover through within seconds; another one comes no sooner than that.
constexpr std::int64_t kOneFailover = 10'000'000'000;

bool isFirstOfItsKind(const Lane& lane, const Tick& tick) {
    for (std::size_t i = lane.ticks.lowerBound(tick.at - kOneFailover); i < lane.ticks.size(); ++i) {
        if (lane.ticks[i].row >= tick.row) return true;
        if (lane.ticks[i].kind == tick.kind) return false;
    }
    return true;
}

/// Votes may still come in when the leader has enough of them.
std::uint32_t votesFor(const Lane& lane, const trace::Trace& trace, const Tick& led) {
    const EntityId leader = trace.at(led.row).actor;
    std::int64_t epoch = -1;
    std::uint32_t votes = 0;
    for (std::size_t i = lane.ticks.lowerBound(led.at - kOneFailover); i < lane.ticks.size(); ++i) {
        const Tick& tick = lane.ticks[i];
        if (tick.at > led.at + kOneFailover / 10) break;
        if (WatcherTick(tick.kind) != WatcherTick::Votes) continue;
        const trace::Event vote = trace.at(tick.row);
        if (vote.value > epoch) votes = 0;
        epoch = std::max(epoch, vote.value);
        votes += vote.value == epoch && vote.subject == leader;
    }
    return votes;
}

/// Whether a hold that no living server had when its own died is on another one later.
enum class CopyAfter : std::uint8_t { Never, Came, Open };

/// A write may have been on its way to the replicas. Once somebody decides, or the owner asks anew, none can come.
CopyAfter copyAfter(const TimelineData& data, const Lane& lane, const Tick& tick) {
    const trace::Trace& trace = data.trace();
    const EntityId owner = trace.at(tick.row).aux;
    const auto isOtherCopy = [&](EntityId entity) {
        return lane.logical && std::ranges::any_of(lane.logical->members, [&](const Lane* copy) {
                   return copy != &lane && copy->entity == entity;
               });
    };
    for (std::size_t row = tick.row + 1; row < trace.size(); ++row) {
        const trace::Event event = trace.at(row);
        if (event.at > data.now()) return CopyAfter::Open;
        if (event.at > tick.at + kOneFailover) return CopyAfter::Never;
        if (event.kind == trace::EventKind::RecordHeld && event.actor == owner && isOtherCopy(event.subject))
            return CopyAfter::Came;
        const bool decided = event.kind == trace::EventKind::RecordDecider && event.value > 0 && lane.logical &&
                             event.subject == lane.logical->entity;
        if (decided || (event.kind == trace::EventKind::Requested && event.actor == owner)) return CopyAfter::Never;
    }
    return CopyAfter::Open;
}

} // namespace

QStringList phaseWords(const trace::Trace& trace, const Span& span) {
    if (NodePhase(span.state) == NodePhase::Paused) return {Timeline::tr("paused")};
    return {QStringLiteral("✕ ") + Timeline::tr("dead since %1").arg(instantShort(trace, Nanos(span.from))),
            QStringLiteral("✕ ") + Timeline::tr("dead", "a server")};
}

QStringList roleBandWords(const trace::Trace& trace, const Span& span) {
    const trace::Event event = trace.at(span.row);
    const bool told = event.kind == trace::EventKind::NodeRole;
    switch (RoleBand(span.state)) {
    case RoleBand::Candidate:
        return {Timeline::tr("candidate")};
    case RoleBand::Orphan:
        if (told && trace.entity(event.aux).name == "looking")
            return {Timeline::tr("looks for a leader"), roleWords("looking", {}, false)};
        return {Timeline::tr("replica of nobody"), Timeline::tr("replica")};
    case RoleBand::Looking:
        //: On the lane of a server: it knows of no leader, and takes part in an election.
        return {Timeline::tr("elects a leader"), Timeline::tr("elects")};
    case RoleBand::Master:
    case RoleBand::Replica:
        break;
    }
    const QByteArray role = told ? trace.entity(event.aux).name
                                 : QByteArray(RoleBand(span.state) == RoleBand::Master ? "master" : "replica");
    const QString alone = roleWords(role, {}, false);
    return span.label == 0 ? QStringList{alone}
                           : QStringList{roleWords(role, trace.displayName(span.label), false), alone};
}

QString lagWords(std::uint32_t label) {
    return Timeline::tr("lag %1").arg(duration(Nanos(std::int64_t(label) * kLagUnit)));
}

QStringList deciderWords(const trace::Trace& trace, const Span& span) {
    switch (Decider(span.state)) {
    case Decider::One:
        return {Timeline::tr("%1 decides").arg(trace.displayName(span.label)), trace.displayName(span.label)};
    case Decider::Several:
        return {Timeline::tr("any %1 of its servers decide").arg(span.label)};
    case Decider::Switching:
        return {Timeline::tr("engines change: nobody gets in"), Timeline::tr("engines change")};
    case Decider::Nobody:
        break;
    }
    return {Timeline::tr("nobody decides"), Timeline::tr("nobody")};
}

QStringList noMasterWords(const trace::Trace& trace, Nanos from, Nanos to, Nanos now) {
    return {Timeline::tr("no master, %1").arg(interval(trace, from, to, now)), Timeline::tr("no master")};
}

QString lostCopyWords(const TimelineData& data, const Lane& lane, const Tick& tick) {
    const trace::Trace& trace = data.trace();
    if (trace::emptiedBy(trace.at(tick.row), trace) != trace::kNoEntity) return Timeline::tr("all data deleted");
    const EntityId owner = trace.at(tick.row).aux;
    const auto hasIt = [&](const Lane* copy) {
        const Span* span = copy == &lane ? nullptr : spanAt(copy->spans, tick.at);
        return span && span->state == unsigned(RecordState::Held) && span->label == owner;
    };
    const bool alone = lane.logical && std::ranges::none_of(lane.logical->members, hasIt);
    if (!alone) return Timeline::tr("died; others have a copy");
    switch (copyAfter(data, lane, tick)) {
    case CopyAfter::Came:
        return Timeline::tr("died; a copy was on its way");
    case CopyAfter::Open:
        return Timeline::tr("died; no other server has a copy yet");
    case CopyAfter::Never:
        break;
    }
    return Timeline::tr("died with the only copy of %1's lock").arg(trace.displayName(trace.clientOf(owner)));
}

bool hasJustStarted(const Lane& lane, std::int64_t t) {
    const Span* life = lane.host ? spanAt(lane.host->spans, t) : nullptr;
    return life && life->from == t && NodePhase(life->state) == NodePhase::Up;
}

QString copyTickWords(const TimelineData& data, const Lane& lane, const Tick& tick) {
    if (RecordTick(tick.kind) != RecordTick::NodeLoss) return recordTickWords(data.trace(), tick);
    if (copyIsDead(lane, tick.at)) return lostCopyWords(data, lane, tick);
    if (hasJustStarted(lane, tick.at)) return Timeline::tr("came back without it");
    return Timeline::tr("gone as it caught up");
}

bool copyIsDead(const Lane& lane, std::int64_t t) {
    const Span* life = lane.host ? spanAt(lane.host->spans, t) : nullptr;
    return life && NodePhase(life->state) == NodePhase::Down;
}

bool replicates(const Lane& lane) {
    return lane.host && lane.host->roles.size() > 0;
}

QString copyState(const TimelineData& data, const Lane& lane, std::int64_t t) {
    t = std::min(t, data.now());
    if (copyIsDead(lane, t)) return Timeline::tr("dead", "a server");
    const Span* decider = lane.logical ? spanAt(lane.logical->deciders, t) : nullptr;
    const bool decides = decider && Decider(decider->state) == Decider::One && decider->label == lane.other;
    if (decides) return Timeline::tr("decides");
    return replicates(lane) ? Timeline::tr("a copy") : Timeline::tr("its own");
}

QString nodeState(const TimelineData& data, const Lane& lane, std::int64_t t) {
    const Span* life = spanAt(lane.spans, t);
    if (!life || NodePhase(life->state) == NodePhase::Unseen) return Timeline::tr("not observed");
    if (NodePhase(life->state) == NodePhase::Down) return Timeline::tr("down");
    QString words = NodePhase(life->state) == NodePhase::Paused ? Timeline::tr("paused") : Timeline::tr("up");
    if (const Span* role = spanAt(lane.roles, t))
        words += Timeline::tr(", ") + roleBandWords(data.trace(), *role).front();
    if (const Span* lag = spanAt(lane.lag, t)) words += Timeline::tr(", ") + lagWords(lag->label);
    return words;
}

QString watchersState(const Lane& lane, std::int64_t t) {
    const auto runs = [t](const Lane* member) {
        const Span* life = spanAt(member->spans, t);
        return life && NodePhase(life->state) == NodePhase::Up;
    };
    return Timeline::tr("%1 of %2 run")
        .arg(QString::number(std::ranges::count_if(lane.members, runs)), QString::number(lane.members.size()));
}

QString watcherWords(const Lane& lane, const trace::Trace& trace, const Tick& tick) {
    const trace::Event event = trace.at(tick.row);
    switch (WatcherTick(tick.kind)) {
    case WatcherTick::Agreed:
        if (!isFirstOfItsKind(lane, tick)) return {};
        return Timeline::tr("%1 of %2 agree at %3: down")
            .arg(QString::number(tick.label), QString::number(lane.members.size()),
                 instantShort(trace, Nanos(tick.at)));
    case WatcherTick::Leads:
        return Timeline::tr("%n vote(s) for %1", nullptr, int(votesFor(lane, trace, tick)))
            .arg(trace.displayName(event.actor));
    case WatcherTick::Promotes:
        return Timeline::tr("%1 promoted").arg(trace.displayName(event.subject));
    case WatcherTick::GivesUp:
        return Timeline::tr("failover given up");
    case WatcherTick::Demotes:
        return Timeline::tr("%1 made a replica").arg(trace.displayName(event.subject));
    case WatcherTick::Doubts:
    case WatcherTick::Trusts:
    case WatcherTick::Votes:
    case WatcherTick::Announces:
        break;
    }
    return {};
}

QString watcherSentence(const trace::Trace& trace, const Tick& tick) {
    const trace::Event event = trace.at(tick.row);
    const QString at = instant(trace, Nanos(tick.at)), who = trace.displayName(event.actor),
                  whom = trace.displayName(event.subject);
    switch (WatcherTick(tick.kind)) {
    case WatcherTick::Doubts:
        return Timeline::tr("%1: %2 believes that %3 is down").arg(at, who, whom);
    case WatcherTick::Trusts:
        return (trace::isForgotten(event, trace)
                    ? Timeline::tr("%1: %2 begins anew with the new master, and forgets that %3 was down")
                    : Timeline::tr("%1: %2 does not believe any more that %3 is down"))
            .arg(at, who, whom);
    case WatcherTick::Agreed:
        return Timeline::tr("%1: %2 knows that %3 agree: %4 is down").arg(at, who, QString::number(event.aux), whom);
    case WatcherTick::Votes:
        return Timeline::tr("%1: %2 votes for %3").arg(at, who, whom);
    case WatcherTick::Leads:
        return Timeline::tr("%1: %2 is elected to replace %3").arg(at, who, whom);
    case WatcherTick::Promotes:
        return Timeline::tr("%1: %2 has promoted %3").arg(at, who, whom);
    case WatcherTick::Announces:
        return Timeline::tr("%1: %2 tells clients that %3 is the master").arg(at, who, whom);
    case WatcherTick::GivesUp:
        return Timeline::tr("%1: %2 gives its failover up").arg(at, who);
    case WatcherTick::Demotes:
        return Timeline::tr("%1: %2 makes %3 a replica").arg(at, who, whom);
    }
    return {};
}

QString cutLinkName(const trace::Trace& trace, const trace::Event& event) {
    const trace::CutWays ways = trace::cutWays(event.value);
    if (ways == trace::CutWays::Both) return trace.displayName(event.subject);
    const trace::Entity& link = trace.entity(event.subject);
    const bool forth = ways == trace::CutWays::Forth;
    //: A link of which one way is cut: what %1 sends does not come to %2.
    return Timeline::tr("%1 → %2").arg(trace.displayName(forth ? link.parent : link.other),
                                       trace.displayName(forth ? link.other : link.parent));
}

QString rowTitle(const TimelineData& data, const TimelineLayout::Row& row) {
    if (row.alike.empty()) return laneTitle(data, *row.lane);
    const bool ofClient =
        std::ranges::all_of(row.alike, [&](const Lane* one) { return one->client == row.lane->client; });
    //: Links of one client or server: %1 its name, %2 the number of parties at the other ends, two at least.
    return Timeline::tr("%1 ↔ %2 others")
        .arg(data.trace().displayName(ofClient ? row.lane->client : row.lane->other))
        .arg(row.alike.size() + 1);
}

} // namespace lockscope::views
