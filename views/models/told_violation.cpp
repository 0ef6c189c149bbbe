// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/told_violation.h"

#include "models/view_context.h"

#include <algorithm>

namespace lockscope::views {

Explained::Explained(ViewContext* context) : QObject(context) {
    const auto forget = [this] { m_violation.reset(); };
    connect(context, &ViewContext::playheadChanged, this, forget);
    connect(context, &ViewContext::sessionChanged, this, forget);
    connect(context, &ViewContext::explanationRequested, this, [this, context](std::size_t violation) {
        const auto judged = context->verdict();
        if (violation < judged->violations.size() && judged->violations[violation].from == context->playhead())
            m_violation = violation;
    });
}

void Explained::follow(ViewContext* context) {
    if (!context->findChild<Explained*>(QString(), Qt::FindDirectChildrenOnly)) new Explained(context);
}

bool goesOnAt(const verdict::Violation& violation, Nanos at) {
    // kNever, the end of a violation that has not ended yet for the judge, is later than any instant.
    return violation.from <= at && violation.to >= at;
}

std::optional<std::size_t> toldViolation(const verdict::Verdict& verdict, Nanos at) {
    const auto first = verdict.violations.begin();
    const auto last = std::ranges::partition_point(
        verdict.violations, [at](const verdict::Violation& violation) { return violation.from <= at; });
    if (first == last) return std::nullopt;
    const auto told =
        std::find_if(first, last, [at](const verdict::Violation& violation) { return goesOnAt(violation, at); });
    return std::size_t((told == last ? std::prev(last) : told) - first);
}

std::optional<std::size_t> toldViolation(const ViewContext& context) {
    const auto judged = context.verdict();
    if (const auto* const explained = context.findChild<Explained*>(QString(), Qt::FindDirectChildrenOnly))
        if (const auto violation = explained->violation(); violation && *violation < judged->violations.size())
            return violation;
    return toldViolation(*judged, context.playhead());
}

bool isJudged(const ViewContext& context) {
    const auto judged = context.verdict();
    if (judged->rows == 0) return false;
    const Nanos at = context.playhead();
    return at > Nanos(0) || judged->reached == Nanos(0) ||
           (!judged->violations.empty() && judged->violations.front().from <= at);
}

Nanos seenTo(const ViewContext& context) {
    return context.unseenFrom().value_or(context.trace()->reached());
}

AsSeen asSeen(const verdict::Violation& violation, const ViewContext& context) {
    const session::Session* const session = context.session();
    const bool begun = violation.from <= context.playhead();
    // A run that is opened at an instant is computed further than its playhead has ever been.
    const bool ahead = begun && session && session->abilities().rewind;
    const Nanos to = ahead ? std::min(seenTo(context), context.furthest()) : seenTo(context);
    return asSeen(violation, to, context.playhead());
}

AsSeen asSeen(const verdict::Violation& violation, Nanos seenTo, Nanos playhead) {
    AsSeen seen{violation, std::max(seenTo, violation.from)};
    if (violation.to > seenTo) seen.violation.to = kNever;
    if (seen.violation.to == kNever && violation.from <= playhead) seen.at = std::min(playhead, seen.at);
    return seen;
}

} // namespace lockscope::views
