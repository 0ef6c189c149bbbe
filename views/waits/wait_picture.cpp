// SPDX-License-Identifier: GPL-3.0-or-later
#include "waits/wait_picture.h"

#include "models/connection_words.h"
#include "models/lock_facts.h"
#include "theme/fonts.h"
#include "theme/format.h"
#include "theme/palette.h"
#include "theme/plain_tips.h"
#include "trace/time_text.h"
#include "verdict/words.h"
#include "waits/wait_words.h"

#include <QContextMenuEvent>
#include <QFontMetricsF>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMenu>
#include <set>

namespace lockscope::views {

namespace {

constexpr int kMostLocksInWords = 20;
constexpr double kHit = 6; ///< pixels from an edge at which it is pointed at

QFont smallFont() {
    return uiFont(-1.5);
}

/// The room that an edge's words take.
double wordsWidth() {
    return QFontMetricsF(smallFont()).horizontalAdvance(QStringLiteral("waits ≥ 88 m 88 s"));
}

WaitMeasures measuresFor(WaitPicture::Direction direction, bool notes) {
    const QFontMetricsF metrics(uiFont()), small(smallFont());
    WaitMeasures measures;
    measures.box = {std::max(120.0, metrics.averageCharWidth() * 18),
                    metrics.height() + 12 + (notes ? small.height() - 2 : 0)};
    measures.down = direction == WaitPicture::Direction::Down;
    measures.gap = measures.down ? 2 * small.height() + 10 : wordsWidth() + 24;
    if (measures.down) measures.back = 40 + wordsWidth() * 0.7; // in two lines
    return measures;
}

} // namespace

WaitPicture::WaitPicture(ViewContext* context, Direction direction) : m_context(context), m_direction(direction) {
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Who waits for whom"));
}

void WaitPicture::show(const trace::WaitGraph& graph, const std::vector<trace::WaitCycle>& possible) {
    const trace::EntityId kept = m_current >= 0 && m_current < int(m_layout.items.size())
                                     ? m_layout.items[std::size_t(m_current)].entity
                                     : trace::kNoEntity;
    const auto trace = m_context->trace();
    const trace::State& state = m_context->state();
    std::map<trace::EntityId, QString> notes;
    std::map<trace::EntityId, std::set<trace::EntityId>> waiters; // by lock
    for (const trace::WaitEdge& edge : graph.edges) {
        waiters[edge.lock].insert(edge.waiter);
        for (const trace::EntityId party : {edge.waiter, edge.holder})
            if (const QString rule = joiningRule(*trace, party); !rule.isEmpty()) notes[party] = ruleWords(rule);
    }
    for (const auto& [lock, named] : waiters)
        if (const auto more = trace::waiterCount(state, lock) - std::int64_t(named.size()); more > 0)
            notes[lock] = tr("%n more wait(s)", "for a lock", int(more));
    m_layout = layOutWaits(graph, measuresFor(m_direction, !notes.empty()));

    m_notes.clear();
    for (const WaitLayout::Item& item : m_layout.items)
        m_notes.push_back(notes[item.entity]);
    m_edgeTexts.clear();
    m_since.clear();
    std::map<trace::EntityId, LockFacts> facts; // by lock
    for (const WaitLayout::Edge& edge : m_layout.edges) {
        const trace::EntityId from = m_layout.items[edge.from].entity, to = m_layout.items[edge.to].entity;
        const trace::EntityId lock = edge.holds ? from : to, party = edge.holds ? to : from;
        if (!facts.contains(lock)) facts.emplace(lock, lockFacts(lock, *m_context));
        trace::Beginning since = edge.holds ? trace::holdingSince(state, *trace, party, lock)
                                            : trace::waitingSince(state, *trace, party, lock);
        if (edge.holds) refineHold(since, facts.at(lock), party);
        m_since.push_back(since);
        const bool told = since.at != trace::kSinceNotTold;
        const Nanos begun(told ? since.at : 0);
        const QString length = lengthText(begun, std::max(m_context->playhead(), begun));
        //: Beside an arrow of the wait-for picture; %1 is a length of time. "≥": it had begun before it was first seen.
        m_edgeTexts.push_back(!told        ? QString()
                              : edge.holds ? (since.known ? tr("holds %1") : tr("holds ≥ %1")).arg(length)
                                           : (since.known ? tr("waits %1") : tr("waits ≥ %1")).arg(length));
    }
    const auto found = std::ranges::find(m_layout.items, kept, &WaitLayout::Item::entity);
    m_current = kept == trace::kNoEntity || found == m_layout.items.end() ? -1 : int(found - m_layout.items.begin());
    setMinimumSize(m_layout.size.toSize());
    updateGeometry();
    notePossible(possible);
    setAccessibleDescription(waitsInWords(graph, *trace, kMostLocksInWords));
    update();
}

void WaitPicture::notePossible(const std::vector<trace::WaitCycle>& possible) {
    const auto itemOf = [this](trace::EntityId entity) {
        return std::size_t(std::ranges::find(m_layout.items, entity, &WaitLayout::Item::entity) -
                           m_layout.items.begin());
    };
    m_possible.assign(m_layout.edges.size(), false);
    m_joins.clear();
    for (const trace::WaitCycle& cycle : possible) {
        for (std::size_t i = 0; i < cycle.edges.size(); ++i) {
            const trace::WaitEdge& wait = cycle.edges[i];
            const std::size_t waiter = itemOf(wait.waiter), lock = itemOf(wait.lock), holder = itemOf(wait.holder);
            for (std::size_t e = 0; e < m_layout.edges.size(); ++e) {
                const WaitLayout::Edge& edge = m_layout.edges[e];
                const bool its =
                    edge.holds ? edge.from == lock && edge.to == holder : edge.from == waiter && edge.to == lock;
                if (its) m_possible[e] = true;
            }
            const std::size_t next = itemOf(cycle.edges[(i + 1) % cycle.edges.size()].waiter);
            const bool drawn = holder < m_layout.items.size() && next < m_layout.items.size();
            if (drawn && holder != next) m_joins.push_back({holder, next});
        }
    }
}

void WaitPicture::refineHold(trace::Beginning& since, const LockFacts& facts, trace::EntityId party) const {
    if (facts.holders.size() > 1 || trace::partyInGraph(*m_context->trace(), facts.owner) != party) return;
    since.known = facts.sinceKnown;
    if (!facts.ownClients) since.at = (m_context->playhead() - facts.heldFor).count();
}

QString WaitPicture::nameOf(int item) const {
    const trace::EntityId entity = m_layout.items[std::size_t(item)].entity;
    const bool thread = m_context->trace()->entity(entity).kind == trace::EntityKind::Thread;
    return thread ? verdict::actorText(entity, *m_context->trace()) : m_context->trace()->displayName(entity);
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
    // A column of the layout lies across in a picture that goes down.
    if (m_layout.down) std::swap(columns, rows);
    const auto turned = [this](QPointF way) { return m_layout.down ? way.transposed() : way; };
    const QRectF box = m_layout.items[std::size_t(m_current)].box;
    int best = -1;
    double nearest = 0;
    for (int i = 0; i < int(m_layout.items.size()); ++i) {
        const QPointF way = turned(m_layout.items[std::size_t(i)].box.center() - box.center());
        if (columns ? way.x() * columns <= 0 : (way.x() != 0 || way.y() * rows <= 0)) continue;
        const double distance = std::abs(way.x()) * 4 + std::abs(way.y());
        if (best >= 0 && distance >= nearest) continue;
        best = i;
        nearest = distance;
    }
    if (best >= 0) setCurrent(best);
}

int WaitPicture::edgeAt(QPointF point) const {
    constexpr int kSteps = 24;
    for (int i = 0; i < int(m_layout.edges.size()); ++i)
        for (int at = 0; at <= kSteps; ++at)
            if (QLineF(point, m_layout.edges[std::size_t(i)].at(double(at) / kSteps)).length() <= kHit) return i;
    return -1;
}

QString WaitPicture::edgeSentence(int edge) const {
    const WaitLayout::Edge& its = m_layout.edges[std::size_t(edge)];
    const QString party = nameOf(int(its.holds ? its.to : its.from)), lock = nameOf(int(its.holds ? its.from : its.to));
    const trace::Beginning since = m_since[std::size_t(edge)];
    const QString when = since.at == trace::kSinceNotTold ? unknown() : instant(*m_context->trace(), Nanos(since.at));
    //: %1 a client, %2 a lock, %3 an instant
    const QString known = its.holds ? tr("%1 holds %2 since %3.") : tr("%1 waits for %2 since %3.");
    const QString unseen = its.holds ? tr("%1 holds %2 since %3 at the latest: that is when it was first seen.")
                                     : tr("%1 waits for %2 since %3 at the latest: that is when it was first seen.");
    QString text = (since.known ? known : unseen).arg(party, lock, when);
    if (its.freed > 0)
        text +=
            u'\n' + tr("If this hold ends, the circle is broken and %n client(s) can go on.", nullptr, int(its.freed));
    return text;
}

QString WaitPicture::tipAt(QPointF point) const {
    const int item = m_layout.at(point);
    if (item < 0) {
        const int edge = edgeAt(point);
        return edge < 0 ? QString() : edgeSentence(edge);
    }
    const auto trace = m_context->trace();
    const trace::EntityId entity = m_layout.items[std::size_t(item)].entity;
    QStringList lines{nameOf(item)};
    if (const QString connection = connectionName(*trace, entity);
        !connection.isEmpty() && m_layout.items[std::size_t(item)].isLock)
        lines << tr("seen over %1").arg(connection);
    const QString rule = m_layout.items[std::size_t(item)].isLock ? QString() : joiningRule(*trace, entity);
    if (!rule.isEmpty())
        lines << tr("One client %1, out of names on several servers. Its menu rejects that rule.").arg(ruleWords(rule));
    else if (!note(item).isEmpty())
        lines << note(item);
    return lines.join(u'\n');
}

QMenu* WaitPicture::makeMenu(int item) {
    auto* menu = new QMenu(this);
    menu->setToolTipsVisible(true);
    if (item < 0 || m_layout.items[std::size_t(item)].isLock) return menu;
    const QString rule = joiningRule(*m_context->trace(), m_layout.items[std::size_t(item)].entity);
    if (rule.isEmpty()) return menu;
    QAction* const reject = menu->addAction(tr("Not one client: &reject the rule “%1”").arg(rule), this,
                                            [context = m_context, rule] { rejectRule(*context, rule); });
    reject->setEnabled(mayReject(*m_context, rule));
    reject->setToolTip(tr("Holders and waiters that come from now on are told apart. Session ▸ Same client… brings the "
                          "rule back."));
    return menu;
}

bool WaitPicture::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* const help = static_cast<QHelpEvent*>(event);
    showPlainTip(help->globalPos(), tipAt(help->pos()), this);
    return true;
}

void WaitPicture::mousePressEvent(QMouseEvent* event) {
    const int item = m_layout.at(event->position());
    const int edge = item < 0 ? edgeAt(event->position()) : -1;
    // The scissors lead to the lock, whose detail says what can be done.
    if (edge >= 0 && m_layout.edges[std::size_t(edge)].freed > 0)
        setCurrent(int(m_layout.edges[std::size_t(edge)].from));
    else
        setCurrent(item);
}

void WaitPicture::contextMenuEvent(QContextMenuEvent* event) {
    const bool byKey = event->reason() == QContextMenuEvent::Keyboard;
    const int item = byKey ? m_current : m_layout.at(event->pos());
    QMenu* const menu = makeMenu(item);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    if (menu->isEmpty()) return menu->deleteLater();
    const QPoint at = byKey ? m_layout.items[std::size_t(item)].box.bottomLeft().toPoint() : event->pos();
    menu->popup(mapToGlobal(at));
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

} // namespace lockscope::views
