// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "models/view_context.h"
#include "theme/widgets.h"

#include <QAbstractListModel>

namespace lockscope::views {

/// A client standing at a step.
struct StepBadge {
    trace::EntityId thread = trace::kNoEntity;
    QString name;
    Pill::Tone tone = Pill::Tone::Neutral;
    bool paused = false;
    QString words; ///< "A thinks it holds the lock, and the record says otherwise"
    friend bool operator==(const StepBadge&, const StepBadge&) = default;
};

/// The numbered steps of the recipe in force, each with the clients that stand at it.
class ProtocolModel : public QAbstractListModel {
    Q_OBJECT
public:
    enum Role { NumberRole = Qt::UserRole, BadgesRole };
    explicit ProtocolModel(ViewContext* context, QObject* parent = nullptr);
    /// The recipe's id; empty when it is not known.
    QString recipe() const { return m_recipe; }
    QString summary() const;
    /// After a change of recipe in mid-run: the time from which on clients use it, and the clients that still use
    /// another one. Else empty.
    QString note() const { return m_note; }
    const std::vector<StepBadge>& badges(int row) const { return m_badges[std::size_t(row)]; }

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;

Q_SIGNALS:
    void recipeChanged();
    void noteChanged();

private:
    void refreshSoon();
    void refresh();
    void refreshNote(const QStringList& others);
    ViewContext* m_context;
    QString m_recipe;
    QString m_note;
    QStringList m_steps;
    std::vector<std::vector<StepBadge>> m_badges;
    QTimer m_soon;
};

} // namespace lockscope::views
