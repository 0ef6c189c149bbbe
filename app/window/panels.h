// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "models/view_context.h"

#include <QSplitter>
#include <functional>

class QTabWidget;

namespace lockscope::app {

/// A part of the window that is built when it is first shown: what a person does not look at costs no start-up time.
class LazyPanel : public QWidget {
    Q_OBJECT
public:
    using Make = std::function<QWidget*()>;
    explicit LazyPanel(Make make, QWidget* parent = nullptr);
    /// Builds it now, shown or not.
    QWidget* panel();

Q_SIGNALS:
    void built();

protected:
    void showEvent(QShowEvent* event) override;

private:
    Make m_make;
    QWidget* m_panel = nullptr;
};

/// The parts of the column at the right. The recipe's steps and the verdict share a place; where there is room for
/// both, one may stand above the other.
class InspectorParts : public QSplitter {
    Q_OBJECT
public:
    InspectorParts();
    /// The steps are the first tab.
    void setTabs(QTabWidget* tabs);
    void setMayStack(bool may);
    /// As with tabs: where the window gets lower, the parts share a place again.
    QSize minimumSizeHint() const override;

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void stack();

    QTabWidget* m_tabs = nullptr;
    QWidget* m_protocol = nullptr;
    bool m_mayStack = false;
    int m_leastTabbed = 0; ///< px, of the height
};

/// The column at the left: the clients' workload, and the faults.
QWidget* makeControls(views::ViewContext* context);
/// The column at the right: one lock, its recipe's steps, and the verdict.
QWidget* makeInspector(views::ViewContext* context);
QWidget* makeTimeline(views::ViewContext* context);
QWidget* makeLocks(views::ViewContext* context);
QWidget* makeEvents(views::ViewContext* context);
QWidget* makeCluster(views::ViewContext* context);
QWidget* makeWaits(views::ViewContext* context);
QWidget* makeStatistics(views::ViewContext* context);

} // namespace lockscope::app
