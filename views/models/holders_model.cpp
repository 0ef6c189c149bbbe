// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/holders_model.h"

#include "theme/format.h"
#include "theme/palette.h"

namespace lockscope::views {

void HoldersModel::setHolders(const std::shared_ptr<const trace::Trace>& trace,
                              const std::vector<trace::Holder>& holders, Nanos now, inspect::KeptBy keptBy,
                              ToldClients told) {
    const auto sameParty = [](const trace::Holder& a, const trace::Holder& b) {
        return a.thread == b.thread && a.mode == b.mode;
    };
    m_now = now;
    m_keptBy = keptBy;
    m_told = std::move(told);
    if (trace == m_trace && std::ranges::equal(holders, m_holders, sameParty)) {
        m_holders = holders;
        if (!m_holders.empty()) Q_EMIT dataChanged(index(0), index(int(m_holders.size()) - 1));
        return;
    }
    beginResetModel();
    m_trace = trace;
    m_holders = holders;
    endResetModel();
}

int HoldersModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(m_holders.size());
}

QString HoldersModel::detailOf(const trace::Holder& holder) const {
    QStringList words;
    switch (holder.mode) {
    case trace::HoldMode::Exclusive:
        words += tr("alone");
        break;
    case trace::HoldMode::Shared:
        // A transaction shares a table also to write in it.
        words += m_keptBy == inspect::KeptBy::Transaction ? tr("shares it") : tr("reads");
        break;
    case trace::HoldMode::Permit:
        words += tr("a permit");
        break;
    }
    if (holder.holds > 1) words += tr("%n hold(s)", "", int(holder.holds));
    if (holder.deadline == trace::kNeverEnds)
        words += tr("never expires");
    else if (holder.deadline >= 0)
        words += tr("%1 left").arg(duration(std::max(Nanos(holder.deadline) - m_now, Nanos::zero())));
    return words.join(QStringLiteral(" · "));
}

QVariant HoldersModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount() || !m_trace) return {};
    const trace::Holder& holder = m_holders[std::size_t(index.row())];
    const QString name = namesOf({holder.thread}, *m_trace);
    switch (role) {
    case Qt::DisplayRole:
    case party::NameRole:
        return name;
    case Qt::AccessibleTextRole:
        return QStringLiteral("%1, %2").arg(name, detailOf(holder));
    case Qt::ToolTipRole:
        return m_told.below(QStringLiteral("%1 · %2").arg(m_trace->displayName(holder.thread), detailOf(holder)),
                            holder.thread);
    case party::EntityRole:
        return holder.thread;
    case party::PositionRole:
        return index.row() + 1;
    case party::DetailRole:
        return detailOf(holder);
    case party::ToneRole:
        return int(Role::HoldingText);
    default:
        return {};
    }
}

} // namespace lockscope::views
