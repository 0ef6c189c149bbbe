// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "models/verdict_model.h"

#include <QTimer>
#include <QWidget>

class QListView;

namespace lockscope::views {

class DimLabel;
class SectionCaption;

/// Every invariant with its outcome, and below it each violation in words. A click goes there.
class VerdictPanel : public QWidget {
    Q_OBJECT
public:
    explicit VerdictPanel(ViewContext* context, QWidget* parent = nullptr);
    QListView* invariants() const { return m_invariants; }
    QListView* violations() const { return m_violations; }

Q_SIGNALS:
    /// The card of an explained violation stands first in its list, and wants all of its height.
    void cardShown(QWidget* list);

protected:
    void showEvent(QShowEvent* event) override;

private:
    void tell();
    /// Below the verdict: why nobody got in twice, where one might have thought so.
    void tellWhySafe();
    void goTo(const QModelIndex& violation);
    /// Brings the card of this violation into sight, with all of its words.
    void showCard(std::size_t violation);

    ViewContext* m_context;
    InvariantsModel* m_invariantsModel;
    ViolationsModel* m_violationsModel;
    QListView* m_invariants;
    SectionCaption* m_caption;
    QListView* m_violations;
    DimLabel* m_empty;
    DimLabel* m_safe;
    QTimer m_pace; ///< runs while the playhead has moved, and m_safe has not followed yet
};

} // namespace lockscope::views
