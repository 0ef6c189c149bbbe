// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/panels.h"

#include "theme/widgets.h"

#include <QBoxLayout>
#include <QScrollArea>

#if __has_include("cluster/cluster_panel.h")
#include "cluster/cluster_panel.h"
#define HAVE_CLUSTER
#endif
#if __has_include("events/events_panel.h")
#include "events/events_panel.h"
#define HAVE_EVENTS
#endif
#if __has_include("faults/break_panel.h")
#include "faults/break_panel.h"
#define HAVE_BREAK
#endif
#if __has_include("faults/workload_panel.h")
#include "faults/workload_panel.h"
#define HAVE_WORKLOAD
#endif
#if __has_include("locks/lock_detail_panel.h")
#include "locks/lock_detail_panel.h"
#define HAVE_DETAIL
#endif
#if __has_include("locks/locks_panel.h")
#include "locks/locks_panel.h"
#define HAVE_LOCKS
#endif
#if __has_include("locks/protocol_panel.h")
#include "locks/protocol_panel.h"
#define HAVE_PROTOCOL
#endif
#if __has_include("timeline/timeline_panel.h")
#include "timeline/timeline_panel.h"
#define HAVE_TIMELINE
#endif
#if __has_include("verdict/verdict_panel.h")
#include "verdict/verdict_panel.h"
#define HAVE_VERDICT
#endif

namespace lockscope::app {
namespace {

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

[[maybe_unused]] QWidget* missing(const char* name) {
    return new views::EmptyState("info", QString::fromLatin1(name), QString());
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

QWidget* makeControls([[maybe_unused]] views::ViewContext* context) {
    QWidget* workload = nullptr;
    QWidget* breaking = nullptr;
#ifdef HAVE_WORKLOAD
    workload = new views::WorkloadPanel(context);
#endif
#ifdef HAVE_BREAK
    breaking = new views::BreakPanel(context);
#endif
    return stack({workload, breaking});
}

QWidget* makeInspector([[maybe_unused]] views::ViewContext* context) {
    QWidget* detail = nullptr;
    QWidget* protocol = nullptr;
    QWidget* verdict = nullptr;
#ifdef HAVE_DETAIL
    detail = new views::LockDetailPanel(context);
#endif
#ifdef HAVE_PROTOCOL
    protocol = new views::ProtocolPanel(context);
#endif
#ifdef HAVE_VERDICT
    verdict = new views::VerdictPanel(context);
#endif
    return stack({detail, protocol, verdict});
}

QWidget* makeTimeline([[maybe_unused]] views::ViewContext* context) {
#ifdef HAVE_TIMELINE
    return new views::TimelinePanel(context);
#else
    return missing("timeline");
#endif
}

QWidget* makeLocks([[maybe_unused]] views::ViewContext* context) {
#ifdef HAVE_LOCKS
    return new views::LocksPanel(context);
#else
    return missing("locks");
#endif
}

QWidget* makeEvents([[maybe_unused]] views::ViewContext* context) {
#ifdef HAVE_EVENTS
    return new views::EventsPanel(context);
#else
    return missing("events");
#endif
}

QWidget* makeCluster([[maybe_unused]] views::ViewContext* context) {
#ifdef HAVE_CLUSTER
    return new views::ClusterPanel(context);
#else
    return missing("cluster");
#endif
}

} // namespace lockscope::app
