// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/verdict_model.h"

#include "theme/format.h"

namespace lockscope::views {

using verdict::Invariant;
using verdict::Outcome;
using verdict::Violation;

namespace {
/// A damaging write is a moment, not a span.
QString whenText(const Violation& violation) {
    const bool moment = violation.to != kNever && violation.to - violation.from < 50ms;
    return moment ? instantShort(violation.from) : interval(violation.from, violation.to);
}
} // namespace

InvariantsModel::InvariantsModel(ViewContext* context, QObject* parent)
    : QAbstractTableModel(parent), m_context(context), m_verdict(context->verdict()) {
    connect(context, &ViewContext::verdictChanged, this, &InvariantsModel::refresh);
}

void InvariantsModel::refresh() {
    m_verdict = m_context->verdict();
    Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
}

int InvariantsModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(verdict::kInvariants.size());
}

int InvariantsModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

Outcome InvariantsModel::outcome(Invariant invariant) const {
    // Of nothing at all nothing can be said, not even that it is fine.
    return m_verdict->rows == 0 ? Outcome::Unknown : m_verdict->outcomes[std::size_t(invariant)];
}

QString InvariantsModel::when(Invariant invariant) const {
    if (m_verdict->rows == 0) return none();
    if (outcome(invariant) == Outcome::Holds) return tr("held");
    if (outcome(invariant) == Outcome::Unknown) return unknown();
    int others = -1;
    QString text;
    for (const Violation& violation : m_verdict->violations) {
        if (violation.invariant != invariant) continue;
        if (++others > 0) continue;
        text = whenText(violation);
    }
    //: %1 is an interval of time, %n how many more there are.
    return others > 0 ? tr("%1 + %n more", "", others).arg(text) : text;
}

QVariant InvariantsModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount()) return {};
    const Invariant invariant = verdict::kInvariants[std::size_t(index.row())];
    const QString name = QString::fromLatin1(verdict::invariantId(invariant));
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
    reset();
}

void ViolationsModel::setOnly(std::optional<Invariant> invariant) {
    if (invariant == m_only) return;
    m_only = invariant;
    reset();
}

ViolationsModel::Listed ViolationsModel::wanted() const {
    Listed listed{m_context->verdict(), {}};
    if (!m_only) return listed;
    listed.only.emplace();
    for (std::size_t i = 0; i < listed.verdict->violations.size(); ++i)
        if (listed.verdict->violations[i].invariant == *m_only) listed.only->push_back(i);
    return listed;
}

void ViolationsModel::reset() {
    beginResetModel();
    m_trace = m_context->trace();
    m_violations = wanted();
    m_rows = m_violations.size();
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
    for (std::size_t i = 0; i < kept; ++i)
        if (m_violations[i] != before[i]) Q_EMIT dataChanged(index(int(i)), index(int(i)));
    if (m_violations.size() > kept) {
        beginInsertRows({}, int(kept), int(m_violations.size()) - 1);
        m_rows = m_violations.size();
        endInsertRows();
    }
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
    switch (role) {
    case Qt::DisplayRole:
        return verdict::headline(violation, *m_trace);
    case Qt::AccessibleTextRole:
    case ExplainRole:
        return verdict::explain(violation, *m_trace);
    case FromRole:
        return qlonglong(violation.from.count());
    case ToRole:
        return qlonglong(violation.to.count());
    case EntityRole:
        return violation.actors.empty() ? violation.lock : violation.actors.front();
    case IdRole:
        return QString::fromLatin1(verdict::invariantId(violation.invariant));
    case WhenRole:
        return whenText(violation);
    default:
        return {};
    }
}

} // namespace lockscope::views
