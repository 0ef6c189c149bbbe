// SPDX-License-Identifier: GPL-3.0-or-later
#include "waits/waits_panel.h"

#include "theme/fonts.h"
#include "theme/palette.h"
#include "theme/widgets.h"
#include "verdict/words.h"
#include "waits/wait_words.h"

#include <QBoxLayout>
#include <QKeyEvent>
#include <QPainter>
#include <QPainterPath>
#include <QScrollArea>
#include <QStackedLayout>
#include <set>

namespace lockscope::views {

namespace {

constexpr int kFrameMs = 16;
constexpr int kMostLocksInWords = 20;

QSizeF boxSize() {
    const QFontMetrics metrics(uiFont());
    return {double(std::max(120, metrics.averageCharWidth() * 17)), double(metrics.height() + 12)};
}

} // namespace

WaitPicture::WaitPicture(ViewContext* context) : m_context(context) {
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Who waits for whom"));
}

void WaitPicture::show(const trace::WaitGraph& graph) {
    const trace::EntityId kept = m_current >= 0 && m_current < int(m_layout.items.size())
                                     ? m_layout.items[std::size_t(m_current)].entity
                                     : trace::kNoEntity;
    const QSizeF box = boxSize();
    m_layout = layOutWaits(graph, box.width(), box.height());
    const auto found = std::ranges::find(m_layout.items, kept, &WaitLayout::Item::entity);
    m_current = kept == trace::kNoEntity || found == m_layout.items.end() ? -1 : int(found - m_layout.items.begin());
    setMinimumSize(m_layout.size.toSize());
    setAccessibleDescription(waitsInWords(graph, *m_context->trace(), kMostLocksInWords));
    update();
}

void WaitPicture::setCurrent(int item) {
    m_current = item;
    if (item >= 0) {
        m_context->select(m_layout.items[std::size_t(item)].entity);
        Q_EMIT moved(m_layout.items[std::size_t(item)].box.toAlignedRect());
    }
    update();
}

void WaitPicture::step(int columns, int rows) {
    if (m_layout.items.empty()) return;
    if (m_current < 0) return setCurrent(0);
    const QRectF box = m_layout.items[std::size_t(m_current)].box;
    int best = -1;
    double nearest = 0;
    for (int i = 0; i < int(m_layout.items.size()); ++i) {
        const QPointF way = m_layout.items[std::size_t(i)].box.center() - box.center();
        if (columns ? way.x() * columns <= 0 : (way.x() != 0 || way.y() * rows <= 0)) continue;
        const double distance = std::abs(way.x()) * 4 + std::abs(way.y());
        if (best >= 0 && distance >= nearest) continue;
        best = i;
        nearest = distance;
    }
    if (best >= 0) setCurrent(best);
}

void WaitPicture::mousePressEvent(QMouseEvent* event) {
    setCurrent(m_layout.at(event->position()));
}

void WaitPicture::keyPressEvent(QKeyEvent* event) {
    switch (event->key()) {
    case Qt::Key_Left:
        return step(-1, 0);
    case Qt::Key_Right:
        return step(1, 0);
    case Qt::Key_Up:
        return step(0, -1);
    case Qt::Key_Down:
        return step(0, 1);
    default:
        QWidget::keyPressEvent(event);
    }
}

void WaitPicture::focusInEvent(QFocusEvent* event) {
    QWidget::focusInEvent(event);
    if (m_current < 0 && !m_layout.items.empty()) m_current = 0;
    update();
}

void WaitPicture::focusOutEvent(QFocusEvent* event) {
    QWidget::focusOutEvent(event);
    update();
}

void WaitPicture::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QFont font = uiFont();
    for (const WaitLayout::Edge& edge : m_layout.edges) {
        const QRectF a = m_layout.items[edge.from].box, b = m_layout.items[edge.to].box;
        const Role role = edge.inCycle ? Role::Violation : edge.holds ? Role::Holding : Role::Waiting;
        QPen pen(color(role), edge.inCycle ? 2.2 : 1.6);
        if (!edge.holds) pen.setStyle(Qt::DotLine);
        painter.setPen(pen);
        painter.setBrush(Qt::NoBrush);
        // To the left in an arc from side to side; back to the right under everything that stands between.
        const QPointF from = edge.back ? QPointF(a.center().x(), a.bottom()) : QPointF(a.left(), a.center().y());
        const QPointF to = edge.back ? QPointF(b.center().x(), b.bottom()) : QPointF(b.right(), b.center().y());
        const double bend = std::max(24.0, (from.x() - to.x()) / 2);
        const double floor = m_layout.size.height() - 6;
        QPainterPath path(from);
        if (edge.back)
            path.cubicTo(QPointF(from.x(), floor + 8), QPointF(to.x(), floor + 8), to);
        else
            path.cubicTo(from - QPointF(bend, 0), to + QPointF(bend, 0), to);
        painter.drawPath(path);
        // The head of the arrow: whom, or what, it waits for, and who holds it.
        painter.setPen(Qt::NoPen);
        painter.setBrush(color(role));
        painter.drawPolygon(edge.back ? QPolygonF({to, to + QPointF(-4, 8), to + QPointF(4, 8)})
                                      : QPolygonF({to, to + QPointF(8, -4), to + QPointF(8, 4)}));
    }
    for (std::size_t i = 0; i < m_layout.items.size(); ++i) {
        const WaitLayout::Item& item = m_layout.items[i];
        const bool selected = item.entity == m_context->selection();
        const bool focused = hasFocus() && m_current == int(i);
        const Role line = item.inCycle ? Role::Violation : selected || focused ? Role::Accent : Role::FieldBorder;
        painter.setPen(QPen(color(line), focused ? 2.5 : selected || item.inCycle ? 1.6 : 1));
        painter.setBrush(color(item.isLock ? Role::HoldingSoft : Role::Surface));
        const double radius = item.isLock ? 4 : item.box.height() / 2;
        painter.drawRoundedRect(item.box, radius, radius);
        painter.setFont(font);
        painter.setPen(color(Role::Text));
        const bool thread = m_context->trace()->entity(item.entity).kind == trace::EntityKind::Thread;
        const QString name = thread ? verdict::actorText(item.entity, *m_context->trace())
                                    : m_context->trace()->displayName(item.entity);
        const QRectF words = item.box.adjusted(10, 0, -10, 0);
        painter.drawText(words, Qt::AlignCenter,
                         QFontMetrics(font).elidedText(name, Qt::ElideMiddle, int(words.width())));
    }
}

WaitsPanel::WaitsPanel(ViewContext* context, QWidget* parent)
    : QWidget(parent),
      m_context(context),
      m_stack(new QStackedLayout),
      m_sentence(new Paragraph),
      m_area(new QScrollArea),
      m_picture(new WaitPicture(context)) {
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
    m_area->setFocusProxy(m_picture);
    rows->addWidget(m_area, 1);
    m_stack->addWidget(page);
    m_stack->addWidget(new EmptyState("clients", tr("Nobody waits"),
                                      tr("As soon as a client waits for a lock, it stands here with whoever holds "
                                         "that lock. A circle is a deadlock.")));

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
    connect(context, &ViewContext::sessionChanged, this, soon);
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
    trace::WaitGraph graph = trace::waitGraph(m_context->state(), *trace);
    m_stack->setCurrentIndex(graph.edges.empty() ? 1 : 0);
    m_picture->show(graph);
    QStringList sentences;
    if (graph.cycles.empty()) {
        std::set<trace::EntityId> locks;
        for (const auto& wait : graph.edges)
            locks.insert(wait.lock);
        sentences << tr("No deadlock: %1 for %2.")
                         .arg(tr("%n wait(s)", nullptr, int(graph.edges.size())),
                              tr("%n lock(s)", nullptr, int(locks.size())));
    } else {
        sentences << tr("Deadlock:") << cycleSentences(graph, *trace) << wayOut(graph, *trace);
    }
    if (const std::size_t left = m_picture->layout().left)
        sentences << tr("%n more wait(s) are not drawn.", nullptr, int(left));
    m_sentence->setRole(graph.cycles.empty() ? Role::TextDim : Role::ViolationText);
    m_sentence->setText(verdict::paragraph(sentences));
    m_graph = std::move(graph);
}

} // namespace lockscope::views
