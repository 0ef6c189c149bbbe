// SPDX-License-Identifier: Apache-2.0
#include "session/alert_desk.h"

#include "trace/connection.h"

#include <QDateTime>
#include <algorithm>
#include <set>

namespace lockscope::session {

namespace {

bool isOf(const inspect::Alert& alert, const inspect::AlertRule& rule, const QByteArray& lock) {
    return alert.rule == rule && alert.lock == lock;
}

} // namespace

bool AlertDesk::covers(const trace::Trace& trace, trace::EntityId lockOrNode) const {
    return m_connection == trace::kNoEntity || trace::connectionOf(trace, lockOrNode) == m_connection;
}

trace::EntityId AlertDesk::lockCalled(const QByteArray& name, const trace::Trace& trace,
                                      const std::vector<trace::EntityId>& locks) const {
    const auto found = std::ranges::find_if(
        locks, [&](trace::EntityId lock) { return trace.entity(lock).name == name && covers(trace, lock); });
    return found == locks.end() ? trace::kNoEntity : *found;
}

std::map<QByteArray, const AlertDesk::Span*> AlertDesk::worstAt(Nanos t) const {
    std::map<QByteArray, const Span*> worst;
    for (const Span& span : m_spans) {
        if (span.muted || span.lock.isEmpty() || !span.standsAt(t)) continue;
        const Span*& known = worst[span.lock];
        if (!known || inspect::severityOf(span.rule.kind) > inspect::severityOf(known->rule.kind)) known = &span;
    }
    return worst;
}

bool AlertDesk::isMuted(inspect::AlertRule::Kind kind, const QByteArray& lock) const {
    return std::ranges::any_of(m_mutes,
                               [&](const inspect::AlertMute& mute) { return mute.covers(kind, lock, m_wallMs); });
}

void AlertDesk::setRules(std::vector<inspect::AlertRule> rules) {
    if (rules == m_rules) return;
    m_rules = std::move(rules);
    const auto isGone = [this](const inspect::AlertRule& rule) {
        return std::ranges::find(m_rules, rule) == m_rules.end();
    };
    for (Span& span : m_spans)
        if (!span.to && isGone(span.rule)) span.to = m_now;
    for (Entry& pinned : m_pinned)
        if (!pinned.over && isGone(pinned.alert.rule)) pinned.over = m_now;
    std::erase_if(m_standing, [&](const inspect::Alert& alert) { return isGone(alert.rule); });
    Q_EMIT wishesChanged();
    arrange();
    Q_EMIT changed();
}

void AlertDesk::setMutes(std::vector<inspect::AlertMute> mutes) {
    if (mutes == m_mutes) return;
    m_mutes = std::move(mutes);
    Q_EMIT wishesChanged();
    if (m_isHistory) return showHistory();
    arrange(); // at once, and exactly as soon as the session's thread has counted anew
    Q_EMIT changed();
}

void AlertDesk::setUsual(inspect::UsualTimes byLock) {
    if (byLock == m_usual) return;
    m_usual = std::move(byLock);
    Q_EMIT usualChanged();
}

void AlertDesk::setPinned(const inspect::AlertRule& rule, const QByteArray& lock, bool pinned) {
    const auto here = std::ranges::find_if(m_pinned, [&](const Entry& e) { return isOf(e.alert, rule, lock); });
    if ((here != m_pinned.end()) == pinned) return;
    if (!pinned) {
        m_pinned.erase(here);
    } else {
        const auto shown = std::ranges::find_if(m_entries, [&](const Entry& e) { return isOf(e.alert, rule, lock); });
        if (shown == m_entries.end()) return;
        m_pinned.push_back(*shown);
        m_pinned.back().pinned = true;
    }
    arrange();
    Q_EMIT changed();
}

void AlertDesk::take(const std::vector<inspect::Alert>& changes, inspect::AlertBoard board, Nanos now,
                     std::int64_t wallMs) {
    m_now = now;
    m_wallMs = wallMs;
    using Key = std::pair<QString, QByteArray>; // rule, lock
    std::set<Key> over;
    std::vector<inspect::Alert> begun;
    for (const inspect::Alert& alert : changes) {
        if (alert.state == inspect::Alert::State::Over)
            over.emplace(alert.rule.text, alert.lock);
        else
            begun.push_back(alert);
    }
    for (Span& span : m_spans)
        if (!span.to && over.contains(Key(span.rule.text, span.lock))) span.to = now;
    for (Entry& pinned : m_pinned)
        if (over.contains(Key(pinned.alert.rule.text, pinned.alert.lock))) pinned.over = now;
    for (const inspect::Alert& alert : begun)
        m_spans.push_back({alert.rule, alert.lock, alert.sentence, alert.advice, alert.since, std::nullopt, false});
    if (m_spans.size() > kMostSpans) m_spans.erase(m_spans.begin(), m_spans.end() - std::ptrdiff_t(kMostSpans));
    m_standing = std::move(board.alerts);
    m_more = board.more;
    m_muted = board.muted;
    arrange();
    Q_EMIT changed();
    for (const inspect::Alert& alert : begun)
        if (!isMuted(alert.rule.kind, alert.lock)) Q_EMIT raised(alert);
}

void AlertDesk::tellHistory(std::vector<Span> spans) {
    m_isHistory = true;
    m_spans = std::move(spans);
    showHistory();
}

void AlertDesk::lookAt(Nanos t) {
    if (!m_isHistory || t == m_now) return;
    m_now = t;
    std::vector<std::size_t> standing;
    for (std::size_t i = 0; i < m_spans.size(); ++i)
        if (m_spans[i].standsAt(t)) standing.push_back(i);
    if (standing != m_standingSpans) showHistory();
}

/// Shows the alerts that stood at m_now: the most severe first, and among equals the oldest.
void AlertDesk::showHistory() {
    m_wallMs = QDateTime::currentMSecsSinceEpoch(); // a mute ends by the clock of the person who looks
    m_standingSpans.clear();
    std::vector<const Span*> shown;
    m_muted = 0;
    for (std::size_t i = 0; i < m_spans.size(); ++i) {
        const Span& span = m_spans[i];
        if (!span.standsAt(m_now)) continue;
        m_standingSpans.push_back(i);
        if (isMuted(span.rule.kind, span.lock))
            ++m_muted;
        else
            shown.push_back(&span);
    }
    std::ranges::stable_sort(shown, [](const Span* a, const Span* b) {
        const auto first = inspect::severityOf(a->rule.kind), second = inspect::severityOf(b->rule.kind);
        return first != second ? first > second : a->from < b->from;
    });
    m_more = shown.size() > kMostEntries ? shown.size() - kMostEntries : 0;
    shown.resize(std::min(shown.size(), kMostEntries));
    m_standing.clear();
    for (const Span* span : shown)
        m_standing.push_back(
            {inspect::Alert::State::Raised, span->rule, span->lock, span->sentence, span->advice, span->from});
    for (Entry& pinned : m_pinned)
        pinned.over = m_now; // arrange() knows better
    arrange();
    Q_EMIT changed();
}

void AlertDesk::mirror(const AlertDesk& other, const std::function<void(inspect::Alert& alert)>& retell,
                       const std::function<QByteArray(const QByteArray& lock)>& rename) {
    m_rules = other.m_rules;
    m_mutes = other.m_mutes;
    for (inspect::AlertMute& mute : m_mutes)
        if (mute.lock) mute.lock = rename(*mute.lock);
    m_standing = other.m_standing;
    std::ranges::for_each(m_standing, retell);
    m_pinned = other.m_pinned;
    for (Entry& pinned : m_pinned)
        retell(pinned.alert);
    m_spans = other.m_spans;
    for (Span& span : m_spans) {
        inspect::Alert told{inspect::Alert::State::Raised, span.rule, span.lock, span.sentence, span.advice, span.from};
        retell(told);
        span.lock = told.lock;
        span.sentence = told.sentence;
        span.advice = told.advice;
    }
    m_more = other.m_more;
    m_muted = other.m_muted;
    m_now = other.m_now;
    m_wallMs = other.m_wallMs;
    arrange();
    Q_EMIT changed();
}

void AlertDesk::arrange() {
    m_entries.clear();
    for (Entry& pinned : m_pinned) {
        const auto stands = std::ranges::find_if(
            m_standing, [&](const inspect::Alert& alert) { return isOf(alert, pinned.alert.rule, pinned.alert.lock); });
        if (stands != m_standing.end()) {
            pinned.alert = *stands;
            pinned.over.reset();
        }
        m_entries.push_back(pinned);
    }
    for (const inspect::Alert& alert : m_standing) {
        const auto pinned =
            std::ranges::any_of(m_pinned, [&](const Entry& e) { return isOf(e.alert, alert.rule, alert.lock); });
        if (!pinned && !isMuted(alert.rule.kind, alert.lock)) m_entries.push_back({alert, std::nullopt, false});
    }
    for (Span& span : m_spans)
        span.muted = isMuted(span.rule.kind, span.lock);
}

std::vector<AlertDesk*> alertDesksOf(Session* session) {
    // By the interface's name: a live session comes from a library with a copy of this code.
    auto* const source = qobject_cast<AlertSource*>(session);
    return source ? source->alertDesks() : std::vector<AlertDesk*>();
}

} // namespace lockscope::session
