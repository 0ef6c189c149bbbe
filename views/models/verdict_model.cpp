// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/verdict_model.h"

#include "models/told_violation.h"
#include "theme/format.h"
#include "verdict/why.h"
#include "verdict/words.h"

namespace lockscope::views {

using verdict::Invariant;
using verdict::Outcome;
using verdict::Violation;

namespace {
/// When it was, in the words and digits of its sentence.
QString whenText(const ViewContext& context, const Violation& violation) {
    const AsSeen seen = asSeen(violation, context);
    if (violation.to == violation.from) return instant(*context.trace(), violation.from);
    return interval(*context.trace(), violation.from, seen.violation.to, seen.at);
}

/// How many violations had begun by t.
std::size_t begunBy(const verdict::Verdict& verdict, Nanos t) {
    const auto end = std::ranges::partition_point(verdict.violations,
                                                  [t](const Violation& violation) { return violation.from <= t; });
    return std::size_t(end - verdict.violations.begin());
}
} // namespace

InvariantsModel::InvariantsModel(ViewContext* context, QObject* parent)
    : QAbstractTableModel(parent), m_context(context), m_verdict(context->verdict()) {
    connect(context, &ViewContext::verdictChanged, this, &InvariantsModel::refresh);
    connect(context, &ViewContext::playheadChanged, this, &InvariantsModel::playheadMoved);
}

void InvariantsModel::refresh() {
    m_verdict = m_context->verdict();
    m_begun = begunBy(*m_verdict, m_context->playhead());
    Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
}

void InvariantsModel::playheadMoved(Nanos t) {
    const bool undecided = m_verdict->overall() == Outcome::Unknown; // since some instant that may be passed
    // One that goes on in the picture may have its end in what was computed ahead.
    const Nanos seen = std::min(seenTo(*m_context), kNever - 1ns);
    const bool open = std::ranges::any_of(
        m_verdict->violations, [&](const Violation& violation) { return violation.from <= t && violation.to > seen; });
    const bool wasOpen = std::exchange(m_open, open);
    if (begunBy(*m_verdict, t) != m_begun || open || wasOpen || undecided || !m_verdict->starved.empty()) refresh();
}

int InvariantsModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(verdict::kInvariants.size());
}

int InvariantsModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

Outcome InvariantsModel::outcome(Invariant invariant) const {
    return !isJudged(*m_context) ? Outcome::Unknown : m_verdict->outcomeAt(invariant, m_context->playhead());
}

InvariantsModel::Tally InvariantsModel::tally(Invariant invariant) const {
    Tally tally;
    for (const Violation& violation : m_verdict->violations) {
        if (violation.invariant != invariant) continue;
        if (violation.from > m_context->playhead()) {
            if (violation.from <= seenTo(*m_context)) ++tally.later;
            continue;
        }
        if (tally.soFar++ == 0) tally.first = whenText(*m_context, violation);
    }
    return tally;
}

QString InvariantsModel::when(Invariant invariant) const {
    if (!isJudged(*m_context)) return none();
    const Tally tally = this->tally(invariant);
    QString text;
    switch (outcome(invariant)) {
    case Outcome::Holds:
        text = tr("held");
        if (const verdict::Starved* const starved =
                invariant == Invariant::Progress ? m_verdict->starvesAt(m_context->playhead()) : nullptr)
            //: Of the invariant progress: %1 a client that waits, and never finds the lock free.
            text = tr("held, but %1 starves").arg(verdict::actorText(starved->thread, *m_context->trace()));
        break;
    case Outcome::Unknown:
        text = unknown();
        break;
    case Outcome::Violated:
        //: %1 is an interval of time, %n how many more there are.
        text = tally.soFar > 1 ? tr("%1 + %n more", "", tally.soFar - 1).arg(tally.first) : tally.first;
        break;
    }
    //: %1 how an invariant stands at the playhead, %n how many violations come later.
    return tally.later > 0 ? tr("%1, %n later", "", tally.later).arg(text) : text;
}

QVariant InvariantsModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount()) return {};
    const Invariant invariant = verdict::kInvariants[std::size_t(index.row())];
    const QString name = verdict::invariantName(invariant);
    switch (role) {
    case Qt::DisplayRole:
        return index.column() == NameColumn ? name : when(invariant);
    case Qt::AccessibleTextRole:
        return index.column() == NameColumn ? tr("%1: %2", "invariant: outcome").arg(name, when(invariant))
                                            : when(invariant);
    case Qt::ToolTipRole:
        return verdict::invariantMeaning(invariant);
    case OutcomeRole:
        return int(outcome(invariant));
    case InvariantRole:
        return int(invariant);
    case LaterRole:
        return tally(invariant).later;
    case FromRole:
        for (const Violation& violation : m_verdict->violations)
            if (violation.invariant == invariant) return qlonglong(violation.from.count());
        return qlonglong(-1);
    default:
        return {};
    }
}

QVariant InvariantsModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
    return section == NameColumn ? tr("Invariant") : tr("When");
}

ViolationsModel::ViolationsModel(ViewContext* context, QObject* parent)
    : QAbstractListModel(parent), m_context(context) {
    connect(context, &ViewContext::sessionChanged, this, &ViolationsModel::reset);
    connect(context, &ViewContext::verdictChanged, this, &ViolationsModel::refresh);
    connect(context, &ViewContext::playheadChanged, this, &ViolationsModel::playheadMoved);
    reset();
}

void ViolationsModel::setOnly(std::optional<Invariant> invariant) {
    if (invariant == m_only) return;
    m_only = invariant;
    reset();
}

ViolationsModel::Listed ViolationsModel::wanted() const {
    Listed listed{m_context->verdict(), {}};
    listed.begun = begunBy(*listed.verdict, std::max(seenTo(*m_context), m_context->playhead()));
    if (!m_only) return listed;
    listed.only.emplace();
    for (std::size_t i = 0; i < listed.begun; ++i)
        if (listed.verdict->violations[i].invariant == *m_only) listed.only->push_back(i);
    return listed;
}

void ViolationsModel::reset() {
    beginResetModel();
    m_trace = m_context->trace();
    m_violations = wanted();
    m_rows = m_violations.size();
    m_begun = begunAt(m_context->playhead());
    endResetModel();
}

void ViolationsModel::refresh() {
    Listed now = wanted();
    // A violation is known again by what began it: its end moves while it goes on.
    const auto same = [](const Violation& a, const Violation& b) {
        return a.invariant == b.invariant && a.lock == b.lock && a.from == b.from;
    };
    std::size_t kept = 0;
    while (kept < now.size() && kept < m_rows && same(now[kept], m_violations[kept]))
        ++kept;
    if (m_rows > kept) {
        beginRemoveRows({}, int(kept), int(m_rows) - 1);
        m_rows = kept;
        endRemoveRows();
    }
    const Listed before = std::exchange(m_violations, std::move(now));
    const auto grows = [](const Violation& v) { return v.to == kNever; }; // its sentence tells for how long so far
    for (std::size_t i = 0; i < kept; ++i)
        if (m_violations[i] != before[i] || grows(m_violations[i])) Q_EMIT dataChanged(index(int(i)), index(int(i)));
    if (m_violations.size() > kept) {
        beginInsertRows({}, int(kept), int(m_violations.size()) - 1);
        m_rows = m_violations.size();
        endInsertRows();
    }
    m_begun = begunAt(m_context->playhead());
}

std::size_t ViolationsModel::begunAt(Nanos t) const {
    std::size_t first = 0, last = m_rows;
    while (first < last) {
        const std::size_t middle = (first + last) / 2;
        if (m_violations[middle].from <= t)
            first = middle + 1;
        else
            last = middle;
    }
    return first;
}

void ViolationsModel::playheadMoved(Nanos t) {
    const std::size_t before = m_begun;
    const auto& all = m_violations.verdict->violations;
    if (m_violations.begun < all.size() && all[m_violations.begun].from <= t)
        refresh(); // what was computed ahead is seen now
    else
        m_begun = begunAt(t);
    const Nanos seen = std::min(seenTo(*m_context), kNever - 1ns);
    for (std::size_t i = 0; i < m_rows; ++i) // while it goes on, its sentence tells for how long
        if (m_violations[i].from <= t && m_violations[i].to > seen) Q_EMIT dataChanged(index(int(i)), index(int(i)));
    if (before == m_begun) return;
    const auto [first, end] = std::minmax(before, m_begun);
    Q_EMIT dataChanged(index(int(first)), index(int(end) - 1), {LaterRole});
}

int ViolationsModel::rowAt(Nanos t) const {
    for (std::size_t i = 0; i < m_rows; ++i)
        if (m_violations[i].from <= t && (m_violations[i].to == kNever || t <= m_violations[i].to)) return int(i);
    return -1;
}

int ViolationsModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(m_rows);
}

QVariant ViolationsModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount()) return {};
    const Violation& violation = m_violations[std::size_t(index.row())];
    const AsSeen seen = asSeen(violation, *m_context);
    switch (role) {
    case Qt::DisplayRole:
        return verdict::headline(seen.violation, *m_trace, seen.at);
    case Qt::AccessibleTextRole:
    case ExplainRole:
        return verdict::explain(seen.violation, *m_trace, seen.at);
    case FromRole:
        return qlonglong(violation.from.count());
    case ToRole:
        return qlonglong(violation.to.count());
    case EntityRole:
        return violation.actors.empty() ? violation.lock : violation.actors.front();
    case IdRole:
        return QString::fromLatin1(verdict::invariantId(violation.invariant));
    case WhenRole:
        return whenText(*m_context, violation);
    case LaterRole:
        return std::size_t(index.row()) >= m_begun;
    default:
        return {};
    }
}

} // namespace lockscope::views
