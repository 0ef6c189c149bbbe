// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/cluster_panel.h"

#include "cluster/cluster_accessible.h"
#include "cluster/cluster_paint.h"
#include "faults/fault_menu.h"
#include "theme/fonts.h"
#include "theme/format.h"
#include "theme/plain_tips.h"
#include "theme/widgets.h"
#include "trace/connection.h"

#include <QBoxLayout>
#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QMenu>
#include <QPainter>
#include <set>

namespace lockscope::views {

using trace::EntityId;
using trace::EntityKind;
using trace::kNoEntity;

namespace {
/// With more messages than this in the picture their words would hide it.
constexpr std::size_t kWordyFlights = 4;
/// More clients than these are painted less often: a picture of thousands takes longer than a frame.
constexpr std::size_t kManyClients = 1000;
constexpr auto kManyPace = 250ms;
constexpr Nanos kMovedLately = 2s; ///< for so long a client says that it is connected with another server now
} // namespace

ClusterPanel::ClusterPanel(ViewContext* context, QWidget* parent)
    : QWidget(parent),
      m_context(context),
      m_empty(new EmptyState("server", tr("No server yet"),
                             tr("Play a scenario, or connect to real servers: they, clients and the messages between "
                                "them show up here. Right-click one to break it."),
                             this)) {
    installClusterAccessibility();
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAttribute(Qt::WA_OpaquePaintEvent);
    setAccessibleName(tr("Cluster"));
    setAccessibleDescription(tr("Arrow keys go from server to client to link; the menu key breaks what is selected."));
    connect(context, &ViewContext::sessionChanged, this, &ClusterPanel::forget);
    connect(context, &ViewContext::traceGrew, this, &ClusterPanel::grow);
    connect(context, &ViewContext::playheadChanged, this, [this](Nanos t) {
        m_pace = std::chrono::abs(t - m_lastPlayhead);
        m_lastPlayhead = t;
        if (!isVisible()) return;
        if (m_clients.size() <= kManyClients)
            catchUp();
        else if (!m_soon.isActive())
            m_soon.start();
    });
    m_soon.setSingleShot(true);
    m_soon.setInterval(kManyPace);
    connect(&m_soon, &QTimer::timeout, this, &ClusterPanel::catchUp);
    connect(context, &ViewContext::selectionChanged, this, &ClusterPanel::follow);
    forget();
}

void ClusterPanel::forget() {
    m_nodes.clear();
    m_clients.clear();
    m_met.clear();
    m_links.clear();
    m_shape = {};
    m_servers.forget();
    m_slots.forget();
    m_seenEntities = 0;
    m_current = -1;
    m_hovered = kNoEntity;
    m_layoutValid = false;
    grow();
    follow();
}

void ClusterPanel::grow() {
    const auto trace = m_context->trace();
    const std::size_t count = trace->entityCount();
    for (; m_seenEntities < count; ++m_seenEntities) {
        const EntityId id = EntityId(m_seenEntities);
        const EntityKind kind = trace->entity(id).kind;
        if (kind == EntityKind::Node)
            m_nodes.push_back(id);
        else if (kind == EntityKind::Thread)
            meet(trace->clientOf(id));
        else if (kind == EntityKind::Link) {
            m_links.push_back(id);
            const EntityId end = trace->entity(id).parent;
            if (end != kNoEntity && trace->entity(end).kind == EntityKind::Client) meet(end);
        } else
            continue;
        m_layoutValid = false;
    }
    m_empty->setVisible(m_nodes.empty() && m_clients.empty());
    if (!m_layoutValid) reshape();
    if (isVisible()) growRows();
    update();
}

void ClusterPanel::meet(EntityId client) {
    if (m_met.insert(client).second) m_clients.push_back(client);
}

std::vector<ClientServers::Stay> ClusterPanel::serversOf(EntityId client) const {
    const auto known = m_context->state().clients.find(client);
    if (known != m_context->state().clients.end() && known->second.life == trace::ClientState::Life::Dead) return {};
    return m_servers.of(client, m_context->playhead(), *m_context->trace(), m_context->state());
}

LinkUse ClusterPanel::useOf(const ClusterLayout::Item& link) const {
    for (const ClientServers::Stay& stay : serversOf(link.client)) {
        if (stay.server == link.node) return LinkUse::Connected;
        if (ClientServers::areTogether(stay.server, link.node, *m_context->trace())) return LinkUse::Spare;
    }
    return LinkUse::Any;
}

void ClusterPanel::growRows() {
    m_servers.grow(*m_context->trace());
    m_slots.grow(*m_context->trace());
}

void ClusterPanel::catchUp() {
    growRows();
    if (reshape()) follow();
    update();
}

void ClusterPanel::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    catchUp(); // out of sight it did not follow the playhead
}

bool ClusterPanel::reshape() {
    const auto trace = m_context->trace();
    const trace::State& state = m_context->state();
    ClusterShape shape;
    std::vector<EntityId> plain, shown;
    for (const EntityId node : trace::serversAmong(*trace, m_nodes)) {
        const auto found = state.nodes.find(node);
        const bool known = found != state.nodes.end();
        // Nodes keep their place on failover: once a Sentinel or a replica, the picture has room for it.
        const bool watches = known && trace->entity(found->second.role).name == "sentinel";
        const bool was = std::ranges::find(m_shape.watchers, node) != m_shape.watchers.end();
        (watches || was ? shape.watchers : plain).push_back(node);
        const QByteArray role = known ? trace->entity(found->second.role).name : QByteArray();
        shape.replicated = shape.replicated || role == "replica" || role == "follower"; // arcs above need room
        if (!known || found->second.follows == kNoEntity || m_shape.shards.contains(node)) continue;
        // Its shard is that of the master that it copied first: so it keeps its place on failover, too.
        const EntityId master = found->second.follows;
        m_shape.shards.try_emplace(node, m_shape.shards.try_emplace(master, master).first->second);
        m_layoutValid = false;
    }
    shape.shards = m_shape.shards;
    shape.replicated = shape.replicated || m_shape.replicated;
    std::set<EntityId> disturbed;
    for (const auto& [link, its] : state.links)
        if (its != trace::LinkState{}) disturbed.insert(disturbed.end(), link);
    if (m_layoutValid && shape == m_shape && plain == m_plain && disturbed == m_disturbed) return false;
    const auto watches = [&shape](EntityId node) {
        return std::ranges::find(shape.watchers, node) != shape.watchers.end();
    };
    for (const EntityId link : m_links) {
        // Links between servers, and to Sentinels, are many: those are shown that somebody has disturbed.
        const trace::Entity& e = trace->entity(link);
        const bool plainLink = trace->entity(e.parent).kind == EntityKind::Client && !watches(e.other);
        if (plainLink || m_allLinks || disturbed.contains(link)) shown.push_back(link);
    }
    const bool same = m_layoutValid && shape == m_shape && plain == m_plain && shown == m_shown;
    m_disturbed = std::move(disturbed);
    if (same) return false;
    m_shape = std::move(shape);
    m_plain = std::move(plain);
    m_shown = std::move(shown);
    m_layoutValid = false;
    return true;
}

const ClusterLayout& ClusterPanel::picture() const {
    if (!m_layoutValid) {
        m_layout = layOutCluster(size(), m_plain, m_clients, m_shown, *m_context->trace(), m_shape);
        m_layoutValid = true;
    }
    return m_layout;
}

void ClusterPanel::resizeEvent(QResizeEvent*) {
    m_layoutValid = false;
    m_empty->setGeometry(rect());
}

void ClusterPanel::follow() {
    const EntityId selected = m_context->selection();
    const EntityId shown = m_context->trace()->clientOf(selected);
    const auto& items = picture().items;
    const auto found = std::ranges::find(items, shown, &ClusterLayout::Item::entity);
    const int now = found == items.end() ? -1 : int(found - items.begin());
    if (now != m_current) setCurrent(now);
    update();
}

void ClusterPanel::setCurrent(int index) {
    const auto& items = picture().items;
    if (index >= int(items.size())) return;
    m_current = index;
    if (index >= 0) {
        const EntityId entity = items[std::size_t(index)].entity;
        // A selected thread of this client stays selected.
        if (m_context->trace()->clientOf(m_context->selection()) != entity) m_context->select(entity);
        if (hasFocus()) tellFocusedItem(this, index);
    }
    update();
}

Nanos ClusterPanel::leastFlight() const {
    // About eight pictures long, whatever the speed; standing still, long enough to see what was just sent.
    return std::clamp<Nanos>(m_pace * 8, 1ms, 1s);
}

void ClusterPanel::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), color(Role::SurfaceSunken));
    if (m_nodes.empty() && m_clients.empty()) return;
    painter.setRenderHint(QPainter::Antialiasing);
    const auto trace = m_context->trace();
    const ClusterLayout& layout = picture();
    const EntityId selected = trace->clientOf(m_context->selection());
    const auto marked = [&](const ClusterLayout::Item& item) {
        const bool focused = hasFocus() && m_current >= 0 && &item == &layout.items[std::size_t(m_current)];
        return item.entity == selected || item.entity == m_hovered || focused;
    };
    const trace::State& state = m_context->state();
    std::set<EntityId> holders;
    for (const auto& [key, belief] : state.beliefs)
        if (belief.phase == trace::Belief::Phase::Holding) holders.insert(trace->clientOf(key.second));
    const bool manyLinks = m_shown.size() > ClusterLayout::kMostLinks;
    const auto isTold = [&](const ClusterLayout::Item& link) {
        const auto found = state.links.find(link.entity);
        const bool disturbed = found != state.links.end() && found->second != trace::LinkState{};
        return disturbed || marked(link) || link.client == selected || holders.contains(link.client);
    };
    std::vector<const ClusterLayout::Item*> drawn;
    for (const ClusterLayout::Item& item : layout.items) {
        if (item.kind != EntityKind::Link || (manyLinks && !item.arched && !isTold(item))) continue;
        drawn.push_back(&item);
        if (!item.arched) paintLink(painter, *m_context, item, useOf(item), marked(item));
    }
    for (const ClusterLayout::Item& item : layout.items)
        if (item.kind == EntityKind::Node) paintReplication(painter, *m_context, item, layout);
    for (const ClusterLayout::Item& item : layout.items) // over the arrows of replication: what is wrong with them
        if (item.arched) paintLink(painter, *m_context, item, LinkUse::Any, marked(item));
    for (const ClusterLayout::Item& item : layout.items)
        if (item.kind == EntityKind::Node) paintReplicationLag(painter, *m_context, item, layout);
    Flights flights = flightsAt(*trace, m_context->playhead(), leastFlight());
    m_flights = std::move(flights.shown);
    std::map<std::pair<EntityId, EntityId>, const ClusterLayout::Item*> links;
    for (const ClusterLayout::Item& item : layout.items)
        if (item.kind == EntityKind::Link) links[{item.client, item.node}] = &item;
    std::vector<std::pair<const Flight*, QPointF>> seen;
    std::vector<QRectF> taken; // words keep clear of signs, and of other words
    const std::vector<DelayTag> delays = delayTags(*m_context, drawn, layout);
    for (const DelayTag& tag : delays)
        taken.push_back(tag.box);
    paintPeerWays(painter, m_flights, layout);
    for (const Flight& flight : m_flights) {
        if (flight.kind == trace::EventKind::PeerMessage) {
            const auto at = placeBetweenServers(flight, layout);
            if (!at) continue;
            paintFlight(painter, flight, *at);
            seen.emplace_back(&flight, *at);
            taken.emplace_back(at->x() - kFlightSize / 2, at->y() - kFlightSize / 2, kFlightSize, kFlightSize);
            continue;
        }
        const auto link = links.find({flight.client, flight.node});
        if (link == links.end() || (manyLinks && !isTold(*link->second))) continue;
        const QPointF at = placeOf(flight, *link->second);
        paintFlight(painter, flight, at);
        seen.emplace_back(&flight, at);
        taken.emplace_back(at.x() - kFlightSize / 2, at.y() - kFlightSize / 2, kFlightSize, kFlightSize);
    }
    paintDelays(painter, delays); // messages pass below them
    if (m_flights.size() <= kWordyFlights)
        for (const auto& [flight, at] : seen)
            paintFlightWords(painter, *flight, at, *trace, taken);
    const Looks looks(*m_context);
    // Clients with a tag beside them come last, so that no other client covers it.
    const auto isLast = [&](const ClusterLayout::Item& item) {
        return !layout.clientWords && (holders.contains(item.entity) || marked(item));
    };
    const auto paintOne = [&](const ClusterLayout::Item& client) {
        ClientLook look = looks.of(client.entity);
        for (const ClientServers::Stay& stay : serversOf(client.entity))
            if (stay.before != kNoEntity && m_context->playhead() < stay.since + kMovedLately)
                look.movedTo = stay.server;
        paintClient(painter, *m_context, client, look, layout, marked(client));
    };
    for (const ClusterLayout::Item& item : layout.items) {
        if (item.kind == EntityKind::Node) paintNode(painter, *m_context, item, looks, m_slots, marked(item));
        if (item.kind == EntityKind::Client && !isLast(item)) paintOne(item);
    }
    for (const ClusterLayout::Item& item : layout.items)
        if (item.kind == EntityKind::Client && isLast(item)) paintOne(item);
    Nanos real{};
    for (const Flight& flight : m_flights)
        real = std::max(real, flight.time);
    painter.setFont(uiFont(-2));
    painter.setPen(color(Role::TextFaint));
    QRect corner = rect().adjusted(12, 0, -12, -6);
    if (flights.slowed) {
        const QString words = (flights.thinned ? tr("a selection, slowed down: real messages take %1")
                                               : tr("slowed down: real messages take %1"))
                                  .arg(duration(real));
        painter.drawText(corner, Qt::AlignRight | Qt::AlignBottom, words);
        corner.setRight(corner.right() - painter.fontMetrics().horizontalAdvance(words + QStringLiteral("    ")));
    }
    if (manyLinks) {
        const QString words =
            tr("%n link(s): those of holders, of the selection, and broken ones are drawn", "", int(m_shown.size()));
        painter.drawText(corner, Qt::AlignLeft | Qt::AlignBottom,
                         painter.fontMetrics().elidedText(words, Qt::ElideRight, corner.width()));
    }
}

void ClusterPanel::mousePressEvent(QMouseEvent* event) {
    const ClusterLayout::Item* const item = picture().at(event->position());
    if (!item) {
        m_context->select(kNoEntity);
        return;
    }
    const int index = int(item - picture().items.data());
    setCurrent(index);
}

void ClusterPanel::mouseMoveEvent(QMouseEvent* event) {
    const ClusterLayout::Item* const item = picture().at(event->position());
    const EntityId hovered = item ? item->entity : kNoEntity;
    if (hovered == m_hovered) return;
    m_hovered = hovered;
    setCursor(item ? Qt::PointingHandCursor : Qt::ArrowCursor);
    update();
}

void ClusterPanel::leaveEvent(QEvent*) {
    m_hovered = kNoEntity;
    update();
}

bool ClusterPanel::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const ClusterLayout::Item* const item = picture().at(help->pos());
        showPlainTip(help->globalPos(), item ? describe(*item) : QString(), this);
        return true;
    }
    return QWidget::event(event);
}

void ClusterPanel::focusInEvent(QFocusEvent* event) {
    QWidget::focusInEvent(event);
    // The focus alone selects nothing: what is selected is what faults strike.
    if (m_current < 0 && event->reason() != Qt::MouseFocusReason && !picture().items.empty()) m_current = 0;
    if (m_current >= 0) tellFocusedItem(this, m_current);
    update();
}

void ClusterPanel::focusOutEvent(QFocusEvent* event) {
    QWidget::focusOutEvent(event);
    update();
}

void ClusterPanel::step(int dx, int dy) {
    const auto& items = picture().items;
    if (items.empty()) return;
    if (m_current < 0) {
        setCurrent(0);
        return;
    }
    // Sideways: the neighbours in the walking order. Up and down: the nearest item in that direction.
    if (dx != 0) {
        setCurrent(std::clamp(m_current + dx, 0, int(items.size()) - 1));
        return;
    }
    const auto centre = [](const ClusterLayout::Item& item) {
        return item.kind == EntityKind::Link ? (item.from + item.to) / 2 : item.box.center();
    };
    const QPointF here = centre(items[std::size_t(m_current)]);
    int best = -1;
    double least = 1e18;
    for (int i = 0; i < int(items.size()); ++i) {
        const QPointF d = centre(items[std::size_t(i)]) - here;
        if (d.y() * dy <= 1) continue;
        const double distance = std::abs(d.y()) + 2 * std::abs(d.x());
        if (distance < least) {
            least = distance;
            best = i;
        }
    }
    if (best >= 0) setCurrent(best);
}

void ClusterPanel::keyPressEvent(QKeyEvent* event) {
    const auto& items = picture().items;
    switch (event->key()) {
    case Qt::Key_Left:
        return step(-1, 0);
    case Qt::Key_Right:
        return step(1, 0);
    case Qt::Key_Up:
        return step(0, -1);
    case Qt::Key_Down:
        return step(0, 1);
    case Qt::Key_Home:
        return setCurrent(items.empty() ? -1 : 0);
    case Qt::Key_End:
        return setCurrent(int(items.size()) - 1);
    case Qt::Key_Escape:
        return m_context->select(kNoEntity);
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (m_current >= 0) m_context->reveal(m_context->playhead(), items[std::size_t(m_current)].entity);
        return;
    default:
        QWidget::keyPressEvent(event);
    }
}

void ClusterPanel::contextMenuEvent(QContextMenuEvent* event) {
    const auto& items = picture().items;
    const ClusterLayout::Item* item = picture().at(event->pos());
    QPoint at = event->globalPos();
    if (event->reason() == QContextMenuEvent::Keyboard) {
        if (m_current < 0) return openGroundMenu(at);
        item = &items[std::size_t(m_current)];
        const QPointF place = item->kind == EntityKind::Link ? (item->from + item->to) / 2 : item->box.center();
        at = mapToGlobal(place.toPoint());
    }
    if (!item) return openGroundMenu(at);
    setCurrent(int(item - items.data()));
    openMenu(item->entity, at);
}

void ClusterPanel::setAllLinks(bool all) {
    if (all == m_allLinks) return;
    m_allLinks = all;
    m_layoutValid = false;
    reshape();
    update();
}

/// The menu where there is nothing.
void ClusterPanel::openGroundMenu(const QPoint& at) {
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    QAction* const all = menu->addAction(tr("Show the links between servers, too"));
    all->setCheckable(true);
    all->setChecked(m_allLinks);
    connect(all, &QAction::toggled, this, &ClusterPanel::setAllLinks);
    menu->popup(at);
}

void ClusterPanel::openMenu(EntityId entity, const QPoint& at) {
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    fillFaultMenu(*menu, *m_context, entity);
    Q_EMIT menuFilled(menu, at);
    menu->popup(at);
}

} // namespace lockscope::views
