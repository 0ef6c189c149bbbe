// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/told_alert.h"

#include <set>

namespace lockscope::views {

using Kind = inspect::AlertRule::Kind;

ToldAlerts::ToldAlerts(ViewContext* context, QObject* parent) : QObject(parent), m_context(context), m_desks(context) {
    connect(context, &ViewContext::sessionChanged, this, &ToldAlerts::changed);
    connect(&m_desks, &AlertDesks::arranged, this, &ToldAlerts::changed);
    connect(&m_desks, &AlertDesks::changed, this, &ToldAlerts::changed);
}

std::optional<ToldAlert> ToldAlerts::now() const {
    const session::AlertDesk::Span* worst = nullptr;
    const session::AlertDesk* of = nullptr;
    const auto graver = [](const session::AlertDesk::Span& a, const session::AlertDesk::Span& b) {
        const bool first = a.rule.kind == Kind::Deadlock, second = b.rule.kind == Kind::Deadlock;
        return first != second ? first : a.from < b.from;
    };
    std::set<QString> sentences; // a deadlock has the same one on each of its locks
    for (const auto& desk : m_desks.all()) {
        if (!desk) continue;
        for (const session::AlertDesk::Span& span : desk->spans()) {
            const bool critical = inspect::severityOf(span.rule.kind) == inspect::AlertSeverity::Critical;
            if (!critical || span.muted || span.lock.isEmpty() || !span.standsAt(m_context->playhead())) continue;
            sentences.insert(span.sentence);
            if (worst && !graver(span, *worst)) continue;
            worst = &span;
            of = desk;
        }
    }
    if (!worst) return std::nullopt;
    return ToldAlert{worst->sentence, worst->advice, worst->from,
                     of->lockCalled(worst->lock, *m_context->trace(), m_context->entities(trace::EntityKind::Lock)),
                     int(sentences.size()) - 1};
}

} // namespace lockscope::views
