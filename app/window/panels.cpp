// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/panels.h"

#include "cluster/cluster_panel.h"
#include "events/events_panel.h"
#include "faults/break_panel.h"
#include "faults/workload_panel.h"
#include "locks/lock_detail_panel.h"
#include "locks/locks_panel.h"
#include "locks/protocol_panel.h"
#include "verdict/verdict_panel.h"

#if __has_include("timeline/timeline_panel.h")
#include "timeline/timeline_panel.h"
#define HAVE_TIMELINE
#else
#include "theme/widgets.h"
#endif

#include <QBoxLayout>
#include <QCoreApplication>
#include <QScrollArea>
#include <QSplitter>
#include <QTabWidget>

namespace lockscope::app {
namespace {

struct Inspector {
    Q_DECLARE_TR_FUNCTIONS(Inspector)
};

/// Panels under one another, scrolled together when they do not fit.
QWidget* stack(std::initializer_list<QWidget*> panels) {
    auto* area = new QScrollArea;
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
    return area;
}

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
    return stack({new views::WorkloadPanel(context), new views::BreakPanel(context)});
}

QWidget* makeInspector(views::ViewContext* context) {
    auto* splitter = new QSplitter(Qt::Vertical);
    splitter->setObjectName(QStringLiteral("inspector"));
    splitter->setChildrenCollapsible(false);
    splitter->addWidget(new views::LockDetailPanel(context));
    // The verdict's sentence stands at the top of the window anyway: its list may share a place with the protocol.
    auto* tabs = new QTabWidget;
    tabs->setDocumentMode(true);
    tabs->addTab(new views::ProtocolPanel(context), Inspector::tr("Protocol"));
    tabs->addTab(new views::VerdictPanel(context), Inspector::tr("Verdict"));
    splitter->addWidget(tabs);
    splitter->setStretchFactor(0, 1);
    splitter->setSizes({330, 280});
    return splitter;
}

QWidget* makeTimeline(views::ViewContext* context) {
#ifdef HAVE_TIMELINE
    return new views::TimelinePanel(context);
#else
    Q_UNUSED(context)
    return new views::EmptyState("timeline", QString(), QString());
#endif
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

} // namespace lockscope::app
