// SPDX-License-Identifier: Apache-2.0
#include "verdict/token_loss.h"

#include "trace/death.h"
#include "trace/decider.h"
#include "trace/trace_time.h"
#include "verdict/engine_change.h"
#include "verdict/failover_story.h"
#include "verdict/words.h"

#include <algorithm>
#include <functional>

namespace lockscope::verdict {

using trace::EntityId;
using trace::Event;
using trace::EventKind;
using trace::Trace;

namespace {

struct TokenLosses {
    /// The last row of each server by which it lost tokens, or took over without them.
    std::vector<Event> rows;
    EntityId former = trace::kNoEntity; ///< the server that decided first
};

/// Whether the server only died: a restart, which may find an empty disk, starts it at the instant of its death.
bool onlyDied(const Event& loss, const Trace& trace) {
    if (loss.kind != EventKind::NodeKilled) return false;
    for (std::size_t row = trace.upperBound(loss.time()); row-- > 0 && trace.timeAt(row) == loss.at;)
        if (trace.kindAt(row) == EventKind::NodeStarted && trace.at(row).actor == loss.actor) return false;
    return true;
}

TokenLosses tokenLossesOf(std::size_t given, std::size_t end, EntityId lock, const Trace& trace) {
    EntityId decider = deciderBefore(given, lock, trace);
    std::vector<EntityId> servers = decidingServers(lock, given, trace);
    std::vector<Event> losses;
    for (std::size_t row = given; row < end; ++row) {
        const EventKind kind = trace.kindAt(row);
        if (kind != EventKind::NodeKilled && kind != EventKind::RecordDecider && kind != EventKind::SettingChanged)
            continue;
        const Event e = trace.at(row);
        if (kind == EventKind::RecordDecider) {
            if (e.subject != lock || e.actor == trace::kNoEntity || e.actor == decider) continue;
            servers = {e.actor};
            if (decider != trace::kNoEntity) losses = {e}; // the former one's losses are told no more
            if (decider == trace::kNoEntity) decider = e.actor;
            continue;
        }
        if (std::ranges::find(servers, e.actor) == servers.end()) continue;
        if (kind == EventKind::SettingChanged && trace.entity(e.aux).name != trace::kAllDeleted) continue;
        std::erase_if(losses, [&](const Event& before) {
            return before.actor == e.actor || before.kind == EventKind::RecordDecider;
        });
        losses.push_back(e);
    }
    // Servers that were enough to lose them need no other one, whose data may have outlived its death.
    const auto last = std::ranges::find_if(losses, [&](const Event& loss) { return loss.at == losses.back().at; });
    if (2 * std::size_t(losses.end() - last) > servers.size()) losses.erase(losses.begin(), last);
    const auto died = [&](const Event& loss) { return onlyDied(loss, trace); };
    if (2 * std::size_t(std::ranges::count_if(losses, std::not_fn(died))) > servers.size()) std::erase_if(losses, died);
    return {losses, decider};
}

/// How several servers lost tokens that they keep together.
QString tokensLostTogether(const std::vector<Event>& losses, Nanos length, const Trace& trace) {
    std::vector<EntityId> servers;
    std::ranges::transform(losses, std::back_inserter(servers), &Event::actor);
    const QString all = actorsText(servers, trace), when = instantText(trace, losses.back().time(), length);
    const bool atOnce = losses.front().at == losses.back().at;
    const auto deleted = [](const Event& loss) { return loss.kind == EventKind::SettingChanged; };
    if (std::ranges::all_of(losses, deleted))
        return (atOnce
                    ? Words::tr("All data of %1 were deleted at %2, and with them the newest tokens.")
                    : Words::tr("All data of %1 were deleted, the last ones at %2, and with them the newest tokens."))
            .arg(all, when);
    if (std::ranges::all_of(losses, trace::isCrash))
        return (atOnce ? Words::tr("The machines of %1 went off at %2, and the newest tokens were not on their disks "
                                   "yet.")
                       : Words::tr("The machines of %1 went off, the last one at %2, and the newest tokens were not on "
                                   "their disks yet."))
            .arg(all, when);
    if (std::ranges::none_of(losses, deleted))
        return (atOnce
                    ? Words::tr("%1 died at %2, and when they were back they did not know of the newest tokens.")
                    : Words::tr("%1 died, the last one at %2, and when they were back they did not know of the newest "
                                "tokens."))
            .arg(all, when);
    return Words::tr("%1 lost their data, the last one at %2, and with them the newest tokens.").arg(all, when);
}

} // namespace

QString tokensLostText(std::size_t given, const Violation& violation, Nanos length, const Trace& trace) {
    const EntityId lock = violation.lock;
    const std::size_t end = std::min(violation.row, trace.size());
    const auto [losses, former] = tokenLossesOf(given, end, lock, trace);
    const Nanos since{trace.timeAt(given)};
    if (const auto change = engineChangeBefore(end, trace); change && change->told && change->at > since)
        return Words::tr("Clients were told at %1 to take their locks on %2, which counts tokens by itself.")
            .arg(instantText(trace, change->at, length), change->engine);
    if (losses.empty()) return {};
    if (losses.size() > 1) return tokensLostTogether(losses, length, trace);
    const Event& lost = losses.front();
    const QString when = instantText(trace, lost.time(), length), server = trace.displayName(lost.actor);
    if (lost.kind == EventKind::RecordDecider)
        return Words::tr("%1 took the place of %2 at %3, and did not know of the newest tokens.")
            .arg(server, trace.displayName(former), when);
    if (lost.kind == EventKind::SettingChanged)
        return Words::tr("All data of %1 were deleted at %2, and with them the newest tokens.").arg(server, when);
    return trace::isCrash(lost)
               ? Words::tr("The machine of %1 went off at %2, and the newest tokens were not on its disk yet.")
                     .arg(server, when)
               : Words::tr("%1 died at %2, and when it was back it did not know of the newest tokens.")
                     .arg(server, when);
}

} // namespace lockscope::verdict
