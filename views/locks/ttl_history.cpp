// SPDX-License-Identifier: GPL-3.0-or-later
#include "locks/ttl_history.h"

#include "models/lock_facts.h"
#include "theme/fonts.h"
#include "theme/format.h"
#include "theme/palette.h"
#include "trace/deadline.h"

#include <QPainter>
#include <QPainterPath>

namespace lockscope::views {

using trace::EventKind;

namespace {
constexpr Nanos kShortest = 10s;
constexpr int kLeases = 4; ///< so many leases fit into the picture
constexpr std::size_t kMostRows = 200'000;
} // namespace

std::vector<LeaseStretch> leaseHistory(const trace::Trace& trace, trace::EntityId lock, Nanos from, Nanos to,
                                       std::size_t mostRows, bool* cut) {
    // Rows from the latest to the first: what a row says holds until `until`.
    std::vector<LeaseStretch> found;              // latest first
    std::vector<std::pair<Nanos, Nanos>> resumed; // between gaps: what lease goes on there an earlier row says
    bool inGap = false;
    Nanos gap = Nanos::max(); // the earliest that was met
    const std::size_t end = trace.upperBound(to);
    const std::size_t stop = end > mostRows ? end - mostRows : 0;
    Nanos until = to;
    std::size_t row = end;
    const auto add = [&](Nanos start, Nanos finish, const trace::Event& e, bool renewed) {
        if (e.value == trace::kEndNotKnown) return; // no line can be drawn of what nobody knows
        const Nanos deadline = fromValue(e.value);
        const Nanos age = e.kind == EventKind::RecordDeadline ? std::chrono::milliseconds(e.aux) : Nanos(0);
        const Nanos lease = deadline == kNever ? Nanos::zero() : deadline - (e.time() - age);
        LeaseStretch* const later = found.empty() ? nullptr : &found.back();
        // A re-entry moves no deadline: the lease that it tells of is this one.
        if (later && later->renewed && later->from == finish && later->deadline == deadline)
            *later = {start, later->to, deadline, lease, renewed};
        else if (start < finish)
            found.push_back({start, finish, deadline, lease, renewed});
    };
    while (row > stop && (until > from || !resumed.empty())) {
        --row;
        const EventKind kind = trace.kindAt(row);
        const bool lease =
            kind == EventKind::RecordHeld || kind == EventKind::RecordRenewed || kind == EventKind::RecordDeadline;
        if (!lease && kind != EventKind::RecordFreed && kind != EventKind::RecordObserved &&
            kind != EventKind::RecordUnobserved)
            continue; // it tells of something else than the lease: the content, the queue, the token, …
        const trace::Event e = trace.at(row);
        if (e.subject != lock) continue;
        if (lease) {
            for (const auto& [start, finish] : resumed)
                add(start, finish, e, false);
            resumed.clear();
            if (!inGap) add(e.time(), until, e, kind == EventKind::RecordRenewed);
        } else if (kind == EventKind::RecordFreed) {
            resumed.clear();
        } else if (kind == EventKind::RecordObserved) {
            if (e.time() < until) resumed.emplace_back(e.time(), until);
            inGap = true;
        } else { // unobserved
            if (!inGap) std::erase_if(found, [&](const LeaseStretch& s) { return s.from >= e.time() && s.from < gap; });
            inGap = false;
            gap = e.time();
        }
        until = e.time();
    }
    if (cut) *cut = stop > 0 && row == stop && (until > from || !resumed.empty());
    std::ranges::reverse(found);
    return found;
}

TtlHistory::TtlHistory(ViewContext* context, QWidget* parent) : QWidget(parent), m_context(context) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setFixedHeight(44);
}

void TtlHistory::setLock(trace::EntityId lock) {
    m_lock = lock;
    refresh();
}

void TtlHistory::refresh() {
    const Nanos lease = std::min(m_context->settings().lock.lease, Nanos(10min));
    m_to = m_context->playhead();
    const auto trace = m_context->trace();
    const bool none = m_lock == trace::kNoEntity || !trace || trace->size() == 0;
    m_end = none ? QString() : instantShort(*trace, m_to);
    // A young run fills the picture with what there is of it, rather than with a past that it does not have.
    const Nanos began = none ? Nanos::min() : std::min(Nanos(trace->timeAt(0)), m_to);
    m_from = std::max(began, m_to - std::max(kShortest, lease * kLeases));
    m_cut = false;
    m_stretches = none ? std::vector<LeaseStretch>{} : leaseHistory(*trace, m_lock, m_from, m_to, kMostRows, &m_cut);
    int renewals = 0;
    for (const LeaseStretch& stretch : m_stretches)
        renewals += stretch.renewed && stretch.from >= m_from;
    setAccessibleName(tr("TTL over the last %1").arg(roundDuration(span())));
    QString description = tr("%n renewal(s)", "", renewals);
    if (m_cut)
        description = tr("%1; only the last %2 events were looked at").arg(description, count(std::int64_t(kMostRows)));
    setAccessibleDescription(description);
    setToolTip(accessibleName() + QStringLiteral(": ") + accessibleDescription());
    update();
}

void TtlHistory::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const QRectF plot = QRectF(rect()).adjusted(0, 2, 0, -14);
    painter.fillRect(QRectF(plot.left(), plot.bottom(), plot.width(), 1), color(Role::Hairline));
    Nanos top{};
    for (const LeaseStretch& stretch : m_stretches)
        top = std::max(top, stretch.lease);
    const double width = std::max<double>(double(span().count()), 1);
    const auto x = [&](Nanos t) { return plot.left() + double((t - m_from).count()) / width * plot.width(); };
    const auto y = [&](Nanos left) {
        const double share = top.count() ? double(left.count()) / double(top.count()) : 1;
        return plot.bottom() - std::clamp(share, 0.0, 1.0) * (plot.height() - 3);
    };
    painter.setRenderHint(QPainter::Antialiasing);
    for (const LeaseStretch& stretch : m_stretches) {
        const bool never = stretch.deadline == kNever;
        const Nanos from = std::max(stretch.from, m_from);
        const double high = never ? plot.top() + 3 : y(stretch.deadline - from);
        const double low = never ? high : y(std::max(stretch.deadline - stretch.to, Nanos::zero()));
        QPainterPath shape(QPointF(x(from), plot.bottom()));
        shape.lineTo(x(from), high);
        shape.lineTo(x(stretch.to), low);
        shape.lineTo(x(stretch.to), plot.bottom());
        shape.closeSubpath();
        painter.fillPath(shape, color(Role::HoldingSoft));
        painter.setPen(QPen(color(never ? Role::Violation : Role::Holding), 1.5));
        painter.drawLine(QPointF(x(from), high), QPointF(x(stretch.to), low));
        if (stretch.renewed && stretch.from >= m_from) {
            painter.setPen(QPen(color(Role::Accepted), 1.5));
            painter.drawLine(QPointF(x(from), plot.top()), QPointF(x(from), plot.top() + 5));
        }
    }
    painter.setFont(uiFont(-2));
    painter.setPen(color(Role::TextFaint));
    const QRect words = rect().adjusted(0, rect().height() - 13, 0, 0);
    painter.drawText(words, Qt::AlignLeft | Qt::AlignVCenter,
                     m_cut ? tr("older was not looked at") : tr("%1 ago").arg(roundDuration(span())));
    painter.drawText(words, Qt::AlignRight | Qt::AlignVCenter, m_end);
}

} // namespace lockscope::views
