// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "models/lock_facts.h"
#include "models/party_roles.h"
#include "models/told_clients.h"

#include <QAbstractListModel>

namespace lockscope::views {

/// The holders of one lock by the record: name, mode, number of holds, and the time left of each holder's own lease.
class HoldersModel : public QAbstractListModel {
    Q_OBJECT
public:
    using QAbstractListModel::QAbstractListModel;

    /// Shows these holders, looked at at instant `now`. None where there is only one: the record's owner says it.
    /// `told`: who they are.
    void setHolders(const std::shared_ptr<const trace::Trace>& trace, const std::vector<trace::Holder>& holders,
                    Nanos now, inspect::KeptBy keptBy = inspect::KeptBy::NotTold, ToldClients told = {});

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;

private:
    QString detailOf(const trace::Holder& holder) const;
    std::shared_ptr<const trace::Trace> m_trace;
    std::vector<trace::Holder> m_holders;
    Nanos m_now{};
    inspect::KeptBy m_keptBy{};
    ToldClients m_told;
};

} // namespace lockscope::views
