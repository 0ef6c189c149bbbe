// SPDX-License-Identifier: Apache-2.0
#include "inspect/alert_history.h"

#include "inspect/recorded_reports.h"
#include "trace/connection.h"

#include <algorithm>
#include <deque>

namespace lockscope::inspect {

using trace::EntityId;

namespace {

struct Judged {
    Judged(const trace::Trace& trace, const JudgedConnection& connection)
        : reports(trace, connection.id), watch(connection.rules) {}
    RecordedReports reports;
    AlertWatch watch;
    bool sawAll = false;
    std::vector<PastAlert> past;
    std::map<std::pair<QString, QByteArray>, std::size_t> open; ///< in `past`, by rule and lock

    void observe(Nanos at) {
        // A hold that came after the first whole look has begun since: that look goes first.
        if (!sawAll && reports.sawAll()) {
            sawAll = true;
            watch.observe(reports.quiet(at));
        }
        watch.setUnanswered(reports.unansweredSince());
        watch.observe(reports.report(at));
    }

    void note(std::vector<Alert> changes, Nanos at) {
        for (Alert& alert : changes) {
            const std::pair<QString, QByteArray> key(alert.rule.text, alert.lock);
            if (alert.state == Alert::State::Raised) {
                open[key] = past.size();
                past.push_back({std::move(alert), std::nullopt});
            } else if (const auto known = open.find(key); known != open.end()) {
                past[known->second].until = at;
                open.erase(known);
            }
        }
    }
};

/// How far apart the instants are at which the rules are checked: as often as while watching, unless that took minutes.
Nanos stepFor(const trace::Trace& trace, const std::vector<JudgedConnection>& connections) {
    constexpr Nanos kOften = 250ms;
    constexpr std::int64_t kMostLooks = 20'000, kFewestLooks = 1'000;
    constexpr std::int64_t kMostChecks = 100'000'000; // of a rule for a lock
    std::int64_t locks = 1, rules = 1;
    for (EntityId id = 1; id < trace.entityCount(); ++id)
        locks += trace.entity(id).kind == trace::EntityKind::Lock;
    for (const JudgedConnection& connection : connections)
        rules = std::max(rules, std::int64_t(connection.rules.size()));
    const std::int64_t looks = std::clamp(kMostChecks / (locks * rules), kFewestLooks, kMostLooks);
    return std::max(kOften, trace.reached() / looks);
}

} // namespace

std::vector<std::vector<PastAlert>>
alertsIn(const trace::Trace& trace, const std::vector<JudgedConnection>& connections, const std::stop_token& stop) {
    std::deque<Judged> all; // none moves: the watches call back
    for (const JudgedConnection& connection : connections) {
        Judged& one = all.emplace_back(trace, connection);
        const bool together = connections.size() > 1;
        one.watch.joinClients([&one](const Party& party) { return one.reports.clientOf(party); },
                              together ? trace.displayName(connection.id) : QString());
    }
    const auto check = [&](Nanos at) {
        std::vector<AlertWatch*> begun;
        for (Judged& one : all)
            if (one.reports.hasBegun()) begun.push_back(&one.watch);
        const bool together = all.size() > 1;
        if (together && std::ranges::any_of(begun, &AlertWatch::ringsAreDue)) AlertWatch::findRings(begun);
        for (Judged& one : all)
            if (one.reports.hasBegun())
                one.note(one.watch.check(at, together ? AlertWatch::Rings::Given : AlertWatch::Rings::Own), at);
    };
    const Nanos step = stepFor(trace, connections), end = trace.reached();
    Nanos due{};
    const auto lookUntil = [&](Nanos until) {
        // A damaged recording may reach to the end of all time.
        for (; due < until && !stop.stop_requested(); due = laterBy(due, step)) {
            for (Judged& one : all)
                if (one.reports.hasBegun()) one.watch.observe(one.reports.quiet(due));
            check(due);
        }
    };
    const std::size_t rows = trace.size();
    for (std::size_t row = 0; row < rows && !stop.stop_requested();) {
        const Nanos at(trace.timeAt(row));
        lookUntil(at);
        for (; row < rows && trace.timeAt(row) == at.count(); ++row)
            for (Judged& one : all)
                one.reports.apply(trace.at(row));
        for (Judged& one : all)
            if (one.reports.hasNews()) one.observe(at);
    }
    lookUntil(end);
    check(end);
    std::vector<std::vector<PastAlert>> found;
    for (Judged& one : all) {
        std::vector<PastAlert>& past = found.emplace_back(std::move(one.past));
        if (past.size() > kMostPastAlerts) past.erase(past.begin(), past.end() - std::ptrdiff_t(kMostPastAlerts));
    }
    return found;
}

} // namespace lockscope::inspect
