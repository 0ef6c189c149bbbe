// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "models/lock_facts.h"
#include "models/party_roles.h"
#include "models/told_clients.h"

#include <QAbstractListModel>

namespace lockscope::views {

/// The waiters for one lock, in the order that they are given in: position, name, time waited.
class QueueModel : public QAbstractListModel {
    Q_OBJECT
public:
    using QAbstractListModel::QAbstractListModel;

    /// Shows these waiters; `now` is the instant they are looked at. `told`: who they are.
    void setWaiters(const std::shared_ptr<const trace::Trace>& trace, const std::vector<Waiter>& waiters, Nanos now,
                    ToldClients told = {});

    /// "waits 12 s", "waits ≥ 12 s", or that nobody waits there any more. Translated.
    static QString waited(const Waiter& waiter, Nanos now);

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;

private:
    std::shared_ptr<const trace::Trace> m_trace;
    std::vector<Waiter> m_waiters;
    Nanos m_now{};
    ToldClients m_told;
};

} // namespace lockscope::views
