// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/margin.h"

#include "inspect/kept_by_words.h"
#include "theme/format.h"
#include "timeline/span_at.h"
#include "timeline/words.h"

#include <QCoreApplication>

namespace lockscope::views {
namespace {

struct Timeline {
    Q_DECLARE_TR_FUNCTIONS(Timeline)
};

} // namespace

Margin marginAt(const TimelineData& data, const Lane& belief, std::int64_t t) {
    using Kind = Margin::Kind;
    const Lane* const record = data.recordOf(belief.other);
    const Span* const hold = spanAt(belief.spans, t);
    if (!record || !hold || hold->state == unsigned(BeliefState::Waiting) || t >= belief.endOf(*hold, data.now() + 1))
        return {};
    if (spanAt(record->holders, t)) return {};
    const Span* const kept = spanAt(record->spans, t);
    if (!kept) return {t < record->seenFrom ? Kind::Unknown : Kind::Over};
    if (RecordState(kept->state) == RecordState::Unobserved) return {Kind::Unknown};
    if (kept->label != belief.entity) return {Kind::Over};
    const Lease lease = leaseOf(data.trace(), *kept);
    if (!lease.endKnown()) {
        // A holder that does not run sends nothing: its session's time-out runs, and how much is left nobody told.
        const inspect::KeptBy by = keptBy(data.trace(), *record, *kept);
        const bool rests = belief.life && spanAt(belief.life->spans, t);
        Margin margin{by == inspect::KeptBy::NotTold || rests ? Kind::Unknown : Kind::Kept};
        margin.by = by;
        return margin;
    }
    if (!lease.expires()) return {Kind::Endless};
    if (lease.deadline <= t) return {Kind::Over};
    return {Kind::Known, lease.deadline - t, lease.lengthKnown ? lease.deadline - lease.from : 0};
}

QString marginWords(const Margin& margin) {
    switch (margin.kind) {
    case Margin::Kind::Known:
        return Timeline::tr("margin %1").arg(duration(Nanos(margin.left)));
    case Margin::Kind::Unknown:
        return Timeline::tr("margin unknown");
    case Margin::Kind::Over:
        return Timeline::tr("margin 0 s");
    case Margin::Kind::Kept:
        return inspect::keptByText(margin.by, inspect::KeptByUse::Margin);
    case Margin::Kind::None:
    case Margin::Kind::Endless:
        break;
    }
    return {};
}

Role marginRole(const Margin& margin) {
    if (margin.kind == Margin::Kind::Over) return Role::ViolationText;
    const bool fine =
        margin.kind == Margin::Kind::Kept || (margin.kind == Margin::Kind::Known && margin.left >= margin.low());
    return fine ? Role::TextDim : Role::WaitingText;
}

bool hasTwoLines(const TimelineMetrics& metrics, int height) {
    return height >= metrics.px(36);
}

} // namespace lockscope::views
