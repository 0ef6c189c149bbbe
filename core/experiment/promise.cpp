// SPDX-License-Identifier: Apache-2.0
#include "experiment/promise.h"

#include "experiment/outcome.h"

#include "trace/event_words.h"
#include "trace/time_text.h"

#include <QCoreApplication>

#include <algorithm>

namespace lockscope::experiment {

namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("experiment", text);
}

verdict::Outcome outcomeOf(const QString& id, const verdict::Verdict& verdict) {
    const auto found = std::ranges::find(verdict::kInvariants, id.toLatin1(), verdict::invariantId);
    Q_ASSERT(found != verdict::kInvariants.end()); // readers of scenarios refuse others
    return verdict.outcomes[static_cast<std::size_t>(*found)];
}

QString whyNotHeld(const QString& id, const RunReport& report) {
    const auto& violations = report.verdict.violations;
    const auto bad = std::ranges::find(violations, id.toLatin1(),
                                       [](const auto& violation) { return verdict::invariantId(violation.invariant); });
    if (bad == violations.end()) return tr("%1 should hold, and is unknown").arg(id);
    return tr("%1 should hold: %2").arg(id, verdict::headline(*bad, *report.trace));
}

constexpr QLatin1String kStarves("waiter-starves");

/// Whether the run took a rare path of the simulator, or has an event of that kind: "renew-refused", or with a word of
/// it "record-freed/expiry", or ended with a waiter that starves.
bool takes(const RunReport& report, const QString& path) {
    if (path == kStarves) return starvesAtTheEnd(report);
    if (report.reached.contains(path)) return true;
    const QByteArray kind = path.section(u'/', 0, 0).toLatin1(), word = path.section(u'/', 1).toLatin1();
    const trace::Trace& trace = *report.trace;
    for (std::size_t row = 0; row < trace.size(); ++row) {
        if (kind != trace::kindName(trace.kindAt(row))) continue;
        if (word.isEmpty()) return true;
        const trace::EventWords words(trace.at(row));
        if (std::ranges::any_of(words.all(), [&](const char* one) { return word == one; })) return true;
    }
    return false;
}

} // namespace

bool promisesStarvation(const scenario::Expectation& promised) {
    return promised.reaches.contains(kStarves);
}

bool starvesAtTheEnd(const RunReport& report) {
    return std::ranges::any_of(report.verdict.starved,
                               [&](const verdict::Starved& one) { return one.to >= report.trace->reached(); });
}

QString differenceFrom(const scenario::Expectation& promised, const RunReport& report, const Measures& measures) {
    for (const QString& id : promised.violates)
        if (outcomeOf(id, report.verdict) != verdict::Outcome::Violated)
            return tr("%1 should be violated, and is not").arg(id);
    for (const QString& id : promised.holds)
        if (outcomeOf(id, report.verdict) != verdict::Outcome::Holds) return whyNotHeld(id, report);
    if (promised.recoversWithin && measures.recovery() > *promised.recoversWithin)
        return tr("not granted again within %1").arg(spanText(*promised.recoversWithin));
    if (promised.stalls && measures.grantedAgain != kNever)
        return tr("granted again at %1").arg(durationText(measures.grantedAgain));
    if (!promisesStarvation(promised) && starvesAtTheEnd(report))
        return verdict::headline(report.verdict.starved.back(), *report.trace, kNever);
    if (const auto& span = promised.longestWait;
        span && (measures.longestWait < span->low || measures.longestWait > span->high))
        return tr("a wait of %1").arg(durationText(measures.longestWait));
    if (const auto& span = promised.requestsPerSecond) {
        const auto rate =
            int(double(measures.requests) / std::chrono::duration<double>(report.trace->reached()).count());
        if (rate < span->low || rate > span->high) return tr("%1 requests a second").arg(rate);
    }
    for (const QString& path : promised.reaches)
        if (!takes(report, path)) return tr("it should come to %1, and does not").arg(path);
    if (report.acquisitions == 0) return tr("the lock was never granted");
    const CellOutcome outcome = outcomeOf(report, measures);
    const std::optional<CellOutcome> expected = promisedOutcome(promised);
    if (expected && outcome != CellOutcome::Unknown && !keeps(outcome, *expected))
        return tr("it came out as %1, not as %2")
            .arg(QLatin1String(outcomeId(outcome)), QLatin1String(outcomeId(*expected)));
    return {};
}

} // namespace lockscope::experiment
