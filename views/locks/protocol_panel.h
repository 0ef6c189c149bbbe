// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "locks/protocol_model.h"

#include <QWidget>

class QListView;
class QStackedLayout;

namespace lockscope::views {

/// The recipe's numbered steps with every client standing at its current step. Click a badge: selects that client;
/// Enter on a step selects the clients that stand there, one after the other.
class ProtocolPanel : public QWidget {
    Q_OBJECT
public:
    explicit ProtocolPanel(ViewContext* context, QWidget* parent = nullptr);
    ProtocolModel* model() const { return m_model; }
    QListView* view() const { return m_view; }
    /// Shows only the steps at which clients stand, and asks for no more height than these need; for a class.
    void setBrief(bool brief);
    /// Marks these steps, from 1, as the ones to look at; none for an empty list.
    void lookAt(const std::vector<int>& steps);
    const std::vector<int>& lookedAt() const { return m_lookedAt; }

protected:
    void changeEvent(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void showRecipe();
    void showNote();
    void fitHeight();
    void showStanding();
    ViewContext* m_context;
    ProtocolModel* m_model;
    QStackedLayout* m_stack;
    SectionCaption* m_caption;
    DimLabel* m_note;
    QListView* m_view;
    std::vector<int> m_lookedAt;
    bool m_brief = false;
    int m_mostStanding = 0; ///< rows shown at once so far: what stands above the panel does not move to and fro
};

} // namespace lockscope::views
