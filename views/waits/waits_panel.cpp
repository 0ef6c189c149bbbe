// SPDX-License-Identifier: GPL-3.0-or-later
#include "waits/waits_panel.h"

#include "models/waits_in_sight.h"
#include "theme/widgets.h"
#include "trace/possible_cycles.h"
#include "verdict/words.h"
#include "waits/wait_words.h"

#include <QBoxLayout>
#include <QScrollArea>
#include <QStackedLayout>
#include <algorithm>
#include <set>

namespace lockscope::views {

namespace {

constexpr int kFrameMs = 16;

/// Somebody waits, if only for a lock that nobody holds: the graph has no edge for that.
bool anyoneWaits(const trace::State& state) {
    return std::ranges::any_of(state.beliefs, [](const auto& belief) { return belief.second.waiting(); }) ||
           std::ranges::any_of(state.records, [&state](const auto& record) {
               return record.second.copyOf == trace::kNoEntity && trace::waiterCount(state, record.first) > 0;
           });
}

} // namespace

WaitsPanel::WaitsPanel(ViewContext* context, WaitPicture::Direction direction, QWidget* parent)
    : QWidget(parent),
      m_context(context),
      m_stack(new QStackedLayout),
      m_sentence(new Paragraph),
      m_area(new QScrollArea),
      m_picture(new WaitPicture(context, direction)) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(m_stack, 1); // before its pages: a stack without a parent shows its first page as a window
    auto* page = new QWidget;
    auto* rows = new QVBoxLayout(page);
    rows->setContentsMargins(0, 0, 0, 0);
    rows->setSpacing(0);
    m_sentence->setContentsMargins(kGrid + 4, kGrid / 2, kGrid, kGrid / 2);
    m_sentence->setWordWrap(true);
    m_sentence->setTextInteractionFlags(Qt::TextSelectableByMouse);
    rows->addWidget(m_sentence);
    m_area->setFrameShape(QFrame::NoFrame);
    m_area->setWidgetResizable(true);
    m_area->setWidget(m_picture);
    m_area->setFocusPolicy(Qt::NoFocus); // the picture in it takes the focus
    m_area->setAccessibleName(tr("Who waits for whom"));
    rows->addWidget(m_area, 1);
    m_stack->addWidget(page);
    m_nobody = new EmptyState("clients", {}, {});
    m_stack->addWidget(m_nobody);
    m_stack->addWidget(new EmptyState("clients", tr("Nobody is seen to wait"),
                                      tr("Of some locks it is not known whether anybody waits: their servers do not "
                                         "tell, or are out of sight.")));

    connect(m_picture, &WaitPicture::moved, this,
            [this](const QRect& item) { m_area->ensureVisible(item.center().x(), item.center().y(), 90, 40); });
    m_soon.setSingleShot(true);
    m_soon.setInterval(kFrameMs);
    connect(&m_soon, &QTimer::timeout, this, &WaitsPanel::refresh);
    const auto soon = [this] {
        if (isVisible() && !m_soon.isActive()) m_soon.start();
    };
    connect(context, &ViewContext::playheadChanged, this, soon);
    connect(context, &ViewContext::traceGrew, this, soon);
    connect(context, &ViewContext::sessionChanged, this, [this] { // no name outlives its session
        if (isVisible()) refresh();
    });
    connect(context, &ViewContext::heldBackChanged, this, soon);
    connect(context, &ViewContext::selectionChanged, m_picture, qOverload<>(&QWidget::update));
    refresh();
}

const WaitLayout& WaitsPanel::picture() const {
    return m_picture->layout();
}

QString WaitsPanel::sentence() const {
    return m_sentence->text();
}

void WaitsPanel::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    refresh();
}

void WaitsPanel::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange || event->type() == QEvent::LanguageChange) refresh();
}

void WaitsPanel::refresh() {
    const auto trace = m_context->trace();
    const bool heldBack = m_context->heldBack().verdictFrom.has_value(); // a circle is a verdict
    trace::WaitGraph graph = heldBack ? trace::WaitGraph{} : trace::waitGraph(m_context->state(), *trace);
    m_nobody->setTexts(heldBack                          ? tr("Held back until you have bet")
                       : anyoneWaits(m_context->state()) ? tr("Clients wait, but no holder is known")
                                                         : tr("Nobody waits"),
                       tr("As soon as a client waits for a lock, it stands here with whoever holds that lock. A circle "
                          "is a deadlock."));
    const WaitsInSight sight = waitsInSight(*m_context);
    m_stack->setCurrentIndex(!graph.edges.empty() ? 0 : sight.complete() || heldBack ? 1 : 2);
    const auto possible = trace::possibleCycles(graph, m_context->state(), *trace);
    m_picture->show(graph, possible);
    QStringList sentences;
    if (graph.cycles.empty() && !possible.empty()) {
        sentences << tr("Possible deadlock, if clients of one name are one client:")
                  << cycleSentences({graph.edges, possible}, *trace);
    } else if (graph.cycles.empty()) {
        std::set<trace::EntityId> locks;
        std::set<std::pair<trace::EntityId, trace::EntityId>> waits; // several may hold what one client waits for
        for (const auto& wait : graph.edges) {
            locks.insert(wait.lock);
            waits.emplace(wait.waiter, wait.lock);
        }
        const QString words = sight.complete() ? tr("No deadlock: %1 for %2.") : tr("No deadlock in sight: %1 for %2.");
        sentences << words.arg(tr("%n wait(s)", nullptr, int(waits.size())),
                               tr("%n lock(s)", nullptr, int(locks.size())));
        if (sight.unseen > 0)
            sentences << tr("%n lock(s) are not observed: their server is out of sight.", nullptr, sight.unseen);
        if (sight.untold > 0)
            sentences << tr("Of %n lock(s) the server does not tell who waits.", nullptr, sight.untold);
    } else {
        sentences << tr("Deadlock:") << cycleSentences(graph, *trace) << wayOut(graph, *trace);
    }
    if (const std::size_t left = m_picture->layout().left)
        sentences << tr("%n more wait(s) are not drawn.", nullptr, int(left));
    m_sentence->setRole(graph.cycles.empty() && possible.empty() ? Role::TextDim : Role::ViolationText);
    m_sentence->setText(verdict::paragraph(sentences));
    m_graph = std::move(graph);
}

} // namespace lockscope::views
