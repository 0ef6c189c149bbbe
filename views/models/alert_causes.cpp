// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/alert_causes.h"

#include "inspect/text.h"
#include "models/alert_words.h"

#include <QCoreApplication>
#include <algorithm>
#include <set>

namespace lockscope::views {

using Kind = inspect::AlertRule::Kind;

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(AlertCauses)
};

constexpr std::size_t kMany = 4; // of one kind: fewer are quicker read than counted

std::chrono::seconds secondOf(const inspect::Alert& alert) {
    return std::chrono::floor<std::chrono::seconds>(alert.since);
}

/// Whether both have one cause, if there are enough of them.
bool belongTogether(const inspect::Alert& a, const inspect::Alert& b) {
    if (a.rule.kind != b.rule.kind || a.lock.isEmpty() || b.lock.isEmpty()) return false;
    return a.rule.kind == Kind::Deadlock ? a.sentence == b.sentence : secondOf(a) == secondOf(b);
}

} // namespace

std::vector<AlertCause> alertCauses(const std::vector<inspect::Alert>& alerts) {
    std::set<QByteArray> inRings;
    for (const inspect::Alert& alert : alerts)
        if (alert.rule.kind == Kind::Deadlock) inRings.insert(alert.lock);
    std::vector<AlertCause> causes;
    const auto add = [](AlertCause& cause, const inspect::Alert& alert) {
        if (!alert.lock.isEmpty() && std::ranges::find(cause.locks, alert.lock) == cause.locks.end())
            cause.locks.push_back(alert.lock);
    };
    for (const inspect::Alert& alert : alerts) {
        const bool follows = alert.rule.kind == Kind::Held || alert.rule.kind == Kind::Waited;
        if (follows && inRings.contains(alert.lock)) continue;
        const auto together =
            std::ranges::count_if(alerts, [&](const inspect::Alert& other) { return belongTogether(alert, other); });
        const bool merges = alert.rule.kind == Kind::Deadlock || std::size_t(together) >= kMany;
        const auto known = std::ranges::find_if(
            causes, [&](const AlertCause& cause) { return merges && belongTogether(cause.first, alert); });
        add(known == causes.end() ? causes.emplace_back(AlertCause{alert, {}}) : *known, alert);
    }
    std::ranges::stable_sort(causes, [](const AlertCause& a, const AlertCause& b) {
        return inspect::severityOf(a.first.rule.kind) > inspect::severityOf(b.first.rule.kind);
    });
    return causes;
}

QString causeName(const AlertCause& cause) {
    const QString word = alertWord(cause.first.rule.kind);
    if (cause.locks.empty()) return word;
    QString locks = inspect::readable(cause.locks.front());
    if (cause.first.rule.kind == Kind::Deadlock) {
        for (std::size_t i = 1; i < cause.locks.size(); ++i)
            locks += QStringLiteral(" ⇄ ") + inspect::readable(cause.locks[i]);
    } else if (cause.locks.size() > 1) {
        locks = Words::tr("%n lock(s)", "", int(cause.locks.size()));
    }
    //: %1 the short words for an alert such as "renewal late", %2 its locks.
    return Words::tr("%1: %2").arg(word, locks);
}

} // namespace lockscope::views
