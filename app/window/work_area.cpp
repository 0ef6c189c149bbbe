// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/work_area.h"

#include "connections/connections_panel.h"
#include "faults/workload_panel.h"
#include "locks/locks_panel.h"
#include "statistics/statistics_panel.h"
#include "theme/fonts.h"
#include "theme/format.h"
#include "theme/table_columns.h"
#include "timeline/timeline_view.h"
#include "waits/waits_panel.h"
#include "window/dock_accessible.h"
#include "window/panels.h"

#include <QAccessible>
#include <QTabBar>
#include <QToolButton>

namespace lockscope::app {
namespace {

constexpr int kRoomForInspector = 1280;    ///< beside the picture and what stands left of it
constexpr int kRoomForTables = 880;        ///< below belief, record and effect of a few clients
constexpr int kRoomForStatistics = 940;    ///< below the table and the time axis of somebody's servers
constexpr int kRoomForPair = 1500;         ///< beside the columns, for the cluster and the table of locks next to it
constexpr int kSmall = 600, kNarrow = 960; ///< a window of less has room for the picture and for one column beside it
constexpr int kConnectionsWidth = 216, kControlsWidth = 252, kInspectorWidth = 348, kBottomHeight = 216;
constexpr int kNarrowestInspector = 324; ///< a lock's facts beside its ring
/// With the tabs above it: the lanes tell the story, and the picture beside them does with the room that it needs.
constexpr int kLowestCluster = 179, kTallestCluster = 360;

/// Stands in for the title bar of a dock that has none.
class NoTitle : public QWidget {
public:
    QSize sizeHint() const override { return {0, 0}; }
    QSize minimumSizeHint() const override { return {0, 0}; }
};

/// The parts of a panel whose state is saved: their names say so.
template <typename Widget>
QList<Widget*> kept(const QDockWidget* dock) {
    QList<Widget*> all = dock->findChildren<Widget*>();
    all.removeIf([](const Widget* one) { return !one->objectName().startsWith(QLatin1String(views::kKept)); });
    return all;
}

QList<QAbstractItemView*> tablesOf(const QDockWidget* dock) {
    return kept<QAbstractItemView>(dock);
}

QList<QToolButton*> switchesOf(const QDockWidget* dock) {
    return kept<QToolButton>(dock);
}

} // namespace

WorkArea::WorkArea(QMainWindow* window, views::ViewContext* context, Settings* settings)
    : QObject(window),
      m_window(window),
      m_context(context),
      m_settings(settings),
      m_timeline(makeTimeline(context)),
      m_layout(settings->layout()),
      m_chosen(settings->layout()) {
    window->setDockNestingEnabled(true);
    // The left column runs down to the status bar; the tables run under the timeline, and under the right column
    // where arrange() lets them.
    window->setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
    window->setCorner(Qt::BottomRightCorner, Qt::BottomDockWidgetArea);
    window->setCorner(Qt::TopLeftCorner, Qt::LeftDockWidgetArea);
    window->setCorner(Qt::TopRightCorner, Qt::RightDockWidgetArea);
    window->setTabPosition(Qt::BottomDockWidgetArea, QTabWidget::North);
    window->setTabPosition(Qt::TopDockWidgetArea, QTabWidget::North);
    window->setDocumentMode(true);

    auto* connections = new views::ConnectionsPanel(context);
    connect(connections, &views::ConnectionsPanel::addRequested, this, &WorkArea::connectionWanted);
    connect(connections, &views::ConnectionsPanel::editRequested, this, &WorkArea::connectionEdited);
    m_connections = dock("dock.connections", tr("Connections"), connections, Qt::LeftDockWidgetArea);
    m_controls = dock("dock.controls", tr("Workload and faults"), makeControls(context), Qt::LeftDockWidgetArea);
    for (const auto* workload : m_controls->findChildren<views::WorkloadPanel*>())
        connect(workload, &views::WorkloadPanel::done, m_timeline->findChild<views::TimelineView*>(),
                &views::TimelineView::takeKeyboard);
    m_inspector = dock("dock.inspector", tr("Lock"), makeInspector(context), Qt::RightDockWidgetArea);
    fitText();
    m_locks = dock("dock.locks", tr("Locks"), makeLocks(context), Qt::BottomDockWidgetArea);
    const auto lazily = [this, context](QWidget* (*make)(views::ViewContext*)) {
        auto* panel = new LazyPanel([make, context] { return make(context); });
        connect(panel, &LazyPanel::built, this, [this] {
            recallTables();
            Q_EMIT panelBuilt();
        });
        return panel;
    };
    m_events = dock("dock.events", tr("Events"), lazily(makeEvents), Qt::BottomDockWidgetArea);
    m_cluster = dock("dock.cluster", tr("Cluster"), lazily(makeCluster), Qt::BottomDockWidgetArea);
    m_waits = dock("dock.waits", tr("Wait-for"), lazily(makeWaits), Qt::BottomDockWidgetArea);
    m_statistics = dock("dock.statistics", tr("Statistics"), lazily(makeStatistics), Qt::BottomDockWidgetArea);
    for (QDockWidget* one : docks())
        one->hide();
    recallTables();

    m_titlePace.setSingleShot(true);
    m_titlePace.setInterval(500); // in step with the status line, which tells the number of events, too
    connect(&m_titlePace, &QTimer::timeout, this, &WorkArea::refreshTitles);
    const auto soon = [this] {
        if (!m_titlePace.isActive()) m_titlePace.start();
    };
    connect(context, &views::ViewContext::traceGrew, this, soon);
    connect(context, &views::ViewContext::playheadChanged, this, soon); // it may uncover rows
    connect(context, &views::ViewContext::sessionChanged, this, &WorkArea::refreshTitles);
    // It may have been dragged away from the tabs, or onto them.
    connect(m_locks, &QDockWidget::dockLocationChanged, this, &WorkArea::titleLocks, Qt::QueuedConnection);
    connect(context, &views::ViewContext::explanationRequested, this, [this] {
        if (!m_visible) return;
        m_inspector->show();
        m_inspector->raise();
    });
}

QDockWidget* WorkArea::dock(const char* id, const QString& title, QWidget* panel, Qt::DockWidgetArea area) {
    installDockAccessibility();
    auto* dock = new QDockWidget(title, m_window);
    dock->setObjectName(QLatin1String(id));
    dock->setWidget(panel);
    dock->setTitleBarWidget(new NoTitle);
    dock->setAccessibleName(title);
    m_window->addDockWidget(area, dock);
    connect(dock, &QDockWidget::visibilityChanged, dock, [dock](bool inSight) {
        QAccessibleEvent event(dock, inSight ? QAccessible::ObjectShow : QAccessible::ObjectHide);
        QAccessible::updateAccessibility(&event);
    });
    return dock;
}

bool WorkArea::isBehind(const QDockWidget* dock) {
    // The main window moves such docks out of itself instead of hiding them.
    return dock->isVisible() && !dock->isFloating() && (dock->geometry().right() < 0 || dock->geometry().bottom() < 0);
}

bool WorkArea::isPartOf(Layout layout, const QDockWidget* dock) const {
    switch (layout) {
    case Layout::Teach: // the picture first: what has no room beside it is a key away
        if (dock == m_inspector) return m_window->width() >= kRoomForInspector;
        if (dock == m_connections) return false;
        return dock == m_controls || m_window->height() >= kRoomForTables;
    case Layout::Break:
        if (dock == m_inspector) return m_window->width() >= kRoomForInspector;
        if (dock == m_connections) return false;
        return dock == m_controls || m_window->height() >= kSmall;
    case Layout::Monitor:
        return dock != m_controls && (dock != m_inspector || m_window->width() >= kNarrow);
    case Layout::Lesson: // the words stand at the left, and beside them only the picture and the recipe's steps
        return dock == m_inspector && m_window->width() >= kRoomForInspector;
    case Layout::Task:
        return dock == m_controls;
    case Layout::Plain: // a person who knows no word yet has the picture and the words alone
        return false;
    }
    return true;
}

/// In a low window belief, record and effect come first: below them a wide picture of a cluster, or the few locks of a
/// world that clients of our own live in, do with less. Somebody's servers have many.
int WorkArea::tablesHeight(Layout layout) const {
    const int window = m_window->height();
    const bool low = window < kRoomForTables;
    const session::Session* const session = m_context->session();
    if (layout == Layout::Break) return std::clamp(window * 22 / 100, kLowestCluster, kTallestCluster);
    if (layout != Layout::Monitor) return kBottomHeight;
    if (low) return session && session->abilities().workload ? window / 3 : window * 2 / 5;
    return window * (window < kRoomForStatistics ? 42 : 29) / 100;
}

/// Where things are broken, a recipe's steps and the verdict are read together.
void WorkArea::stackInspector() {
    if (auto* parts = m_inspector->findChild<InspectorParts*>()) parts->setMayStack(m_layout == Layout::Break);
}

void WorkArea::arrange(Layout layout) {
    stackInspector();
    for (QDockWidget* one : docks()) {
        m_window->removeDockWidget(one);
        one->setFloating(false);
    }
    // On call and where things are broken the detail of one lock, with its queue and what is on the server, has the
    // whole height.
    const bool whole = layout == Layout::Monitor || layout == Layout::Break;
    m_window->setCorner(Qt::BottomRightCorner, whole ? Qt::RightDockWidgetArea : Qt::BottomDockWidgetArea);
    if (auto* parts = m_inspector->findChild<InspectorParts*>(); parts && parts->count() == 2)
        parts->setSizes(layout == Layout::Monitor ? QList<int>{1, 0} : QList<int>{375, 295});
    m_window->addDockWidget(Qt::LeftDockWidgetArea, m_connections);
    m_window->addDockWidget(Qt::LeftDockWidgetArea, m_controls);
    m_window->addDockWidget(Qt::RightDockWidgetArea, m_inspector);
    QList<QDockWidget*> tabs{m_locks, m_events, m_cluster, m_waits, m_statistics};
    const bool below = layout == Layout::Monitor && m_window->height() >= kRoomForStatistics;
    const bool pair = layout == Layout::Break && m_window->width() >= kRoomForPair;
    if (layout == Layout::Break) tabs = {m_cluster, m_locks, m_waits, m_events, m_statistics};
    // On call the table is what one reads first, below the alerts; the time axis explains it.
    m_window->addDockWidget(layout == Layout::Monitor ? Qt::TopDockWidgetArea : Qt::BottomDockWidgetArea, tabs.front());
    // Docks are split before there are tabs, which take all that comes.
    if (below) {
        m_window->addDockWidget(Qt::BottomDockWidgetArea, m_statistics);
        tabs.removeOne(m_statistics);
    } else if (pair) {
        m_window->splitDockWidget(m_cluster, m_locks, Qt::Horizontal);
        tabs.removeOne(m_locks);
    }
    for (qsizetype i = 1; i < tabs.size(); ++i)
        m_window->tabifyDockWidget(tabs[i - 1], tabs[i]);
    for (QDockWidget* one : docks())
        one->setVisible(isPartOf(layout, one));
    // Monitoring is reading a table; breaking is looking at the wires; teaching is the time axis.
    const int tables = tablesHeight(layout);
    QDockWidget* const left = layout == Layout::Monitor ? m_connections : m_controls;
    const int leftWidth = layout == Layout::Monitor ? kConnectionsWidth : kControlsWidth;
    m_window->resizeDocks({left, m_inspector}, {leftWidth, kInspectorWidth}, Qt::Horizontal);
    if (below) {
        const int strip = views::StatisticsPanel::lowHeight();
        m_window->resizeDocks({m_locks, m_statistics}, {tables, strip}, Qt::Vertical);
    } else {
        m_window->resizeDocks({tabs.front()}, {tables}, Qt::Vertical);
    }
    if (pair) m_window->resizeDocks({m_cluster, m_locks}, {4, 3}, Qt::Horizontal);
    titleLocks();
    QDockWidget* const front = layout == Layout::Break ? m_cluster : m_locks;
    front->raise();
    // Tabs come into being once the window has laid out its docks, and the first one made would be in front.
    if (layout != Layout::Break) return;
    QTimer::singleShot(0, front, [this, front, layout] {
        if (m_visible && m_layout == layout) front->raise();
    });
}

void WorkArea::setVisible(bool visible) {
    if (visible == m_visible) return;
    if (!visible) remember();
    m_visible = visible;
    if (!visible) {
        for (QDockWidget* one : docks())
            one->hide();
        return;
    }
    stackInspector();
    const QByteArray state = m_settings->dockState(m_layout);
    if (state.isEmpty() || !m_window->restoreState(state, Settings::stateVersion(m_layout))) arrange(m_layout);
    titleLocks();
    Q_EMIT layoutChanged(m_layout);
}

void WorkArea::remember() {
    if (!m_visible) return;
    // Nobody has chosen a lesson's layout: each lesson begins with its own arrangement.
    if (m_layout != Layout::Lesson && m_layout != Layout::Task && m_layout != Layout::Plain)
        m_settings->setDockState(m_layout, m_window->saveState(Settings::stateVersion(m_layout)));
    for (QDockWidget* dock : docks()) {
        for (const QAbstractItemView* view : tablesOf(dock))
            if (m_recalled.contains(view->objectName()))
                m_settings->setTable(view->objectName(), views::columnsOf(*view));
        for (const QToolButton* button : switchesOf(dock))
            if (m_recalled.contains(button->objectName()))
                m_settings->setTable(button->objectName(), button->isChecked() ? "on" : "off");
    }
}

void WorkArea::recallTables() {
    for (QDockWidget* dock : docks()) {
        for (QAbstractItemView* view : tablesOf(dock)) {
            if (m_recalled.contains(view->objectName())) continue;
            m_recalled += view->objectName();
            (void)views::restoreColumns(*view, m_settings->table(view->objectName())); // else they stand as made
        }
        for (QToolButton* button : switchesOf(dock)) {
            if (m_recalled.contains(button->objectName())) continue;
            m_recalled += button->objectName();
            if (const QByteArray left = m_settings->table(button->objectName()); !left.isEmpty())
                button->setChecked(left == "on");
        }
    }
}

void WorkArea::fitText() {
    // The columns grow with larger text, and leave the time axis at least half of the window.
    const auto wide = [](int px) { return int(px * std::max(1.0, views::textScale())); };
    const int most = m_window->width() / 4;
    m_inspector->widget()->setMinimumWidth(std::max(kNarrowestInspector, std::min(wide(kNarrowestInspector), most)));
    if (views::textScale() > 1)
        m_controls->widget()->setMinimumWidth(std::min(wide(kControlsWidth), most));
    else
        m_controls->widget()->setMinimumWidth(0);
}

void WorkArea::setLayout(Layout layout) {
    fitText(); // the window may have another width than when the text was sized
    m_chosen = layout;
    m_settings->setLayout(layout);
    show(layout);
}

void WorkArea::lend(Layout layout) {
    show(layout);
}

void WorkArea::takeBack() {
    show(m_chosen);
}

void WorkArea::show(Layout layout) {
    if (!m_visible) {
        m_layout = layout;
        return;
    }
    if (layout == m_layout) return;
    remember();
    m_layout = layout;
    stackInspector();
    const QByteArray state = m_settings->dockState(layout);
    if (state.isEmpty() || !m_window->restoreState(state, Settings::stateVersion(layout))) arrange(layout);
    titleLocks();
    Q_EMIT layoutChanged(layout);
}

void WorkArea::restoreDefault() {
    m_settings->setDockState(m_layout, {});
    if (m_visible) arrange(m_layout);
}

void WorkArea::setMovable(bool movable) {
    if (movable == m_movable) return;
    m_movable = movable;
    for (QDockWidget* one : docks()) {
        QWidget* old = one->titleBarWidget();
        one->setTitleBarWidget(movable ? nullptr : new NoTitle);
        delete old;
    }
    titleLocks();
}

void WorkArea::refreshTitles() {
    const auto trace = m_context->trace();
    //: Tab of the table of events; %1 how many there are.
    const auto events = std::int64_t(m_context->seenRows());
    m_events->setWindowTitle(events ? tr("Events %1").arg(views::count(events)) : tr("Events"));
    std::int64_t locks = 0;
    for (trace::EntityId id = 1; id < std::min<std::size_t>(trace->entityCount(), 50'000); ++id)
        locks += trace->entity(id).kind == trace::EntityKind::Lock && trace->copyOf(id) == trace::kNoEntity;
    //: Tab of the table of locks; %1 how many there are.
    m_locks->setWindowTitle(locks ? tr("Locks %1").arg(views::count(locks)) : tr("Locks"));
    titleLocks();
}

void WorkArea::titleLocks() {
    const bool named = m_movable || !m_window->tabifiedDockWidgets(m_locks).isEmpty();
    if (auto* panel = qobject_cast<views::LocksPanel*>(m_locks->widget()))
        panel->setTitle(named ? QString() : m_locks->windowTitle());
}

} // namespace lockscope::app
