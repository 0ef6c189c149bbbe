// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/panels.h"

#include "cluster/cluster_panel.h"
#include "events/events_panel.h"
#include "faults/break_panel.h"
#include "faults/fault_menu.h"
#include "faults/hand_list.h"
#include "faults/plan_dialog.h"
#include "faults/workload_panel.h"
#include "locks/lock_detail_panel.h"
#include "locks/locks_panel.h"
#include "locks/protocol_panel.h"
#include "models/planned.h"
#include "statistics/statistics_panel.h"
#include "theme/follow_focus.h"
#include "theme/fonts.h"
#include "theme/icons.h"
#include "theme/widgets.h"
#include "timeline/timeline_panel.h"
#include "timeline/timeline_view.h"
#include "verdict/verdict_panel.h"
#include "waits/waits_panel.h"

#include <QBoxLayout>
#include <QCoreApplication>
#include <QEvent>
#include <QMenu>
#include <QScrollArea>
#include <QScrollBar>
#include <QTabBar>
#include <QTabWidget>

namespace lockscope::app {
namespace {

struct Inspector {
    Q_DECLARE_TR_FUNCTIONS(Inspector)
};

/// Scrolls up and down alone: it is never narrower than what is in it, which would be cut.
class Column : public QScrollArea {
public:
    QSize minimumSizeHint() const override {
        const int content = widget() ? widget()->minimumSizeHint().width() : 0;
        return {content + verticalScrollBar()->sizeHint().width(), QScrollArea::minimumSizeHint().height()};
    }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override {
        if (watched == widget() && event->type() == QEvent::LayoutRequest) updateGeometry();
        return QScrollArea::eventFilter(watched, event);
    }
};

/// Panels under one another, scrolled together when they do not fit.
Column* stack(std::initializer_list<QWidget*> panels) {
    auto* area = new Column;
    area->setFocusPolicy(Qt::NoFocus); // what is in it takes the focus, and comes into sight with it
    area->setFrameShape(QFrame::NoFrame);
    area->setWidgetResizable(true);
    area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* content = new QWidget;
    auto* layout = new QVBoxLayout(content);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    for (QWidget* panel : panels)
        if (panel) layout->addWidget(panel);
    layout->addStretch(1);
    area->setWidget(content);
    views::followFocus(area);
    return area;
}

/// The workload and the verbs, scrolled together, above what stays in sight: the cures and the list of what was done.
class Controls : public QWidget {
public:
    explicit Controls(views::ViewContext* context)
        : m_faults(new views::BreakPanel(context)),
          m_area(stack({new views::WorkloadPanel(context), m_faults})),
          m_done(new views::HandList(context)) {
        auto* column = new QVBoxLayout(this);
        column->setContentsMargins(0, 0, 0, 0);
        column->setSpacing(0);
        m_area->viewport()->installEventFilter(this);
        column->addWidget(m_area, 1);
        // In sight, however low the window is: cures are needed once something was done by hand.
        column->addWidget(new views::HairLine(Qt::Horizontal));
        column->addWidget(m_faults->takeFoot());
        column->addWidget(m_done);
    }

protected:
    void resizeEvent(QResizeEvent* event) override {
        QWidget::resizeEvent(event);
        constexpr int kLow = 760;
        const bool low = height() < kLow;
        m_faults->setCureLines(low ? 2 : 4);
        m_done->setMostRows(low ? 3 : 4);
    }
    bool eventFilter(QObject* watched, QEvent* event) override {
        m_shrunk |= event->type() == QEvent::Resize;
        // Nothing moves away below the mouse.
        if (event->type() == QEvent::Resize || event->type() == QEvent::Leave)
            QMetaObject::invokeMethod(
                this, [this] { keepVerbsInSight(); }, Qt::QueuedConnection);
        return QWidget::eventFilter(watched, event);
    }

private:
    /// Cures and the list take room from below: where they leave none to the verbs, the form above gives way.
    void keepVerbsInSight() {
        if (!m_shrunk || m_area->viewport()->underMouse()) return;
        m_shrunk = false;
        constexpr int kTwoLines = 100; // with what stands above them
        QScrollBar* const bar = m_area->verticalScrollBar();
        const int inSight = m_area->viewport()->height() - (m_faults->y() - bar->value());
        if (!m_faults->cures().isEmpty() && inSight < kTwoLines) bar->setValue(m_faults->y());
    }

    views::BreakPanel* m_faults;
    Column* m_area;
    views::HandList* m_done;
    bool m_shrunk = false; ///< since keepVerbsInSight() was heeded
};

} // namespace

LazyPanel::LazyPanel(Make make, QWidget* parent) : QWidget(parent), m_make(std::move(make)) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
}

QWidget* LazyPanel::panel() {
    if (!m_panel) {
        m_panel = m_make();
        layout()->addWidget(m_panel);
        Q_EMIT built();
    }
    return m_panel;
}

void LazyPanel::showEvent(QShowEvent* event) {
    panel();
    QWidget::showEvent(event);
}

QWidget* makeControls(views::ViewContext* context) {
    return new Controls(context);
}

InspectorParts::InspectorParts() : QSplitter(Qt::Vertical) {
    setObjectName(QStringLiteral("inspector"));
}

void InspectorParts::setTabs(QTabWidget* tabs) {
    m_tabs = tabs;
    m_protocol = tabs->widget(0);
    addWidget(tabs);
}

void InspectorParts::setMayStack(bool may) {
    m_mayStack = may;
    stack();
}

QSize InspectorParts::minimumSizeHint() const {
    const QSize least = QSplitter::minimumSizeHint();
    return indexOf(m_protocol) < 0 ? least : QSize(least.width(), std::min(least.height(), m_leastTabbed));
}

void InspectorParts::resizeEvent(QResizeEvent* event) {
    QSplitter::resizeEvent(event);
    stack();
}

void InspectorParts::stack() {
    constexpr int kRoom = 760; // px for a lock's facts, five steps and a card
    const bool stacks = m_mayStack && height() >= kRoom * views::textScale();
    if (!m_tabs || stacks == (indexOf(m_protocol) >= 0)) return;
    const QString title = Inspector::tr("Protocol");
    if (stacks) {
        m_leastTabbed = QSplitter::minimumSizeHint().height();
        insertWidget(1, m_protocol); // takes it out of the tabs
        m_protocol->show();
        setSizes({height() * 36 / 100, height() * 26 / 100, height() * 38 / 100});
    } else {
        m_tabs->insertTab(0, m_protocol, title);
        m_tabs->setCurrentIndex(0);
        setSizes({height() * 56 / 100, height() * 44 / 100});
    }
    m_tabs->tabBar()->setVisible(!stacks);
}

QWidget* makeInspector(views::ViewContext* context) {
    auto* splitter = new InspectorParts;
    splitter->setChildrenCollapsible(false);
    splitter->addWidget(new views::LockDetailPanel(context));
    // The verdict's sentence stands at the top of the window anyway: its list may share a place with the protocol.
    auto* tabs = new QTabWidget;
    tabs->setDocumentMode(true);
    tabs->setAccessibleName(Inspector::tr("Protocol and verdict"));
    tabs->addTab(new views::ProtocolPanel(context), Inspector::tr("Protocol"));
    auto* verdict = new views::VerdictPanel(context);
    // A card that is to be read as a whole must not push the window apart: it scrolls where there is too little room.
    auto* room = new Column;
    room->setFocusPolicy(Qt::NoFocus);
    room->setFrameShape(QFrame::NoFrame);
    room->setWidgetResizable(true);
    room->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    room->setWidget(verdict);
    views::followFocus(room);
    tabs->addTab(room, Inspector::tr("Verdict"));
    QObject::connect(context, &views::ViewContext::explanationRequested, room,
                     [tabs, room] { tabs->setCurrentWidget(room); });
    QObject::connect(verdict, &views::VerdictPanel::cardShown, splitter, [splitter, room, verdict](QWidget* card) {
        // The lock's facts above give way, as far as half of the height.
        QList<int> sizes = splitter->sizes();
        const int all = sizes.front() + sizes.back();
        const int wanted = verdict->minimumSizeHint().height() + sizes.back() - room->viewport()->height();
        const int given = std::min(wanted, all / 2);
        if (sizes.back() < given) {
            sizes.front() = all - given;
            sizes.back() = given;
            splitter->setSizes(sizes);
        }
        room->ensureWidgetVisible(card, 0, 0);
    });
    splitter->setTabs(tabs);
    splitter->setCollapsible(1, true); // on call the detail has its room, until it is drawn up or asked for
    QObject::connect(context, &views::ViewContext::explanationRequested, splitter, [splitter] {
        const QList<int> sizes = splitter->sizes();
        if (sizes.back() == 0) splitter->setSizes({sizes.front() / 2, sizes.front() / 2});
    });
    splitter->setStretchFactor(0, 1);
    splitter->setSizes({330, 320});
    return splitter;
}

/// A lock's lane can be kept in sight while the others scroll.
void offerPin(QMenu& menu, views::TimelineView* view, const views::ViewContext& context, trace::EntityId lock) {
    const auto trace = context.trace();
    if (lock == trace::kNoEntity || trace->entity(lock).kind != trace::EntityKind::Lock) return;
    if (trace->copyOf(lock) != trace::kNoEntity) return; // it stands with its lock
    const bool pinned = view->isPinned(lock);
    if (!menu.isEmpty()) menu.addSeparator();
    menu.addAction(views::icon(pinned ? "pin" : "pinned"),
                   pinned ? views::TimelineView::tr("&Unpin this lane")
                          : views::TimelineView::tr("&Pin this lane in sight"),
                   view, [view, lock, pinned] { view->setPinned(lock, !pinned); });
}

QWidget* makeTimeline(views::ViewContext* context) {
    auto* panel = new views::TimelinePanel(context);
    const auto* view = panel->view();
    QObject::connect(view, &views::TimelineView::contextMenuRequested, panel,
                     [panel, context](trace::EntityId entity, const QPoint& where) {
                         auto* menu = new QMenu(panel);
                         menu->setAttribute(Qt::WA_DeleteOnClose);
                         // A measured range is a span that the keyboard can draw, too.
                         const auto measured = panel->view()->measured();
                         if (measured && measured->first != measured->second && canPlan(*context))
                             views::fillSpanMenu(*menu, *context, entity, std::min(measured->first, measured->second),
                                                 std::max(measured->first, measured->second));
                         else
                             views::fillFaultMenu(*menu, *context, entity);
                         panel->view()->fillGhostMenu(*menu);
                         offerPin(*menu, panel->view(), *context, entity);
                         Q_EMIT panel->menuFilled(menu, where);
                         if (menu->isEmpty()) {
                             delete menu;
                         } else {
                             menu->popup(where);
                         }
                     });
    QObject::connect(view, &views::TimelineView::spanDrawn, panel,
                     [panel, context](trace::EntityId entity, Nanos from, Nanos to, const QPoint& where) {
                         auto* menu = new QMenu(panel);
                         menu->setAttribute(Qt::WA_DeleteOnClose);
                         menu->setObjectName(QStringLiteral("timeline.span"));
                         views::fillSpanMenu(*menu, *context, entity, from, to);
                         QObject::connect(menu, &QMenu::aboutToHide, panel->view(), &views::TimelineView::clearSpan);
                         menu->popup(where);
                     });
    QObject::connect(view, &views::TimelineView::planRequested, panel, [panel, context](Nanos at) {
        views::planFault(panel->window(), *context, context->selection(), at);
    });
    QObject::connect(view, &views::TimelineView::deedChangeRequested, panel,
                     [panel, context](std::size_t deed) { views::changeDeed(panel->window(), *context, deed); });
    // A band that is clicked shows its beginning; the verdict's list explains it at length.
    QObject::connect(view, &views::TimelineView::violationActivated, context, [context](int index) {
        if (index >= 0) context->explain(std::size_t(index));
    });
    QObject::connect(view, &views::TimelineView::detailRequested, context,
                     [context](trace::EntityId entity) { context->select(entity); });
    return panel;
}

QWidget* makeLocks(views::ViewContext* context) {
    return new views::LocksPanel(context);
}
QWidget* makeEvents(views::ViewContext* context) {
    return new views::EventsPanel(context);
}
QWidget* makeCluster(views::ViewContext* context) {
    return new views::ClusterPanel(context);
}

QWidget* makeWaits(views::ViewContext* context) {
    return new views::WaitsPanel(context);
}
QWidget* makeStatistics(views::ViewContext* context) {
    return new views::StatisticsPanel(context);
}

} // namespace lockscope::app
