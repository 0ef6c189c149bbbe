// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/lane_fold.h"

#include "inspect/server_teller.h"

#include <utility>

namespace lockscope::views {

using trace::EntityKind;
using trace::Event;
using trace::EventKind;

namespace {

Span spanAt(std::int64_t at, std::uint32_t row, unsigned state) {
    Span span;
    span.from = at;
    span.row = row;
    span.state = state & 0xfu;
    return span;
}

} // namespace

void LaneFold::setClientPhase(ClientSlot& c, std::optional<LifePhase> phase, std::int64_t at, std::uint32_t row) {
    SpanTrack& spans = c.life->spans;
    if (phase && spans.hasOpen() && spans.back().state == unsigned(*phase)) return;
    if (spans.hasOpen()) spans.close(at);
    if (phase) spans.push(spanAt(at, row, unsigned(*phase)));
}

void LaneFold::setNodePhase(NodeSlot& n, NodePhase phase, std::int64_t at, std::uint32_t row) {
    if (n.known && n.phase == phase) return;
    SpanTrack& spans = n.lane->spans;
    if (spans.hasOpen()) spans.close(at);
    spans.push(spanAt(at, row, unsigned(phase)));
    const bool wasDown = n.known && n.phase == NodePhase::Down;
    n.known = true;
    n.phase = phase;
    if (wasDown == (phase == NodePhase::Down)) return;
    masterChanged(n, at, row);
    drawDeciders(at, row);
}

void LaneFold::setLink(LinkSlot& l, bool cut, std::int64_t delay, std::int64_t at) {
    if (l.cut == cut && l.delay == delay) return;
    l.cut = cut;
    l.delay = delay;
    SpanTrack& spans = l.lane->spans;
    if (spans.hasOpen()) spans.close(at);
    if (cut)
        spans.push(spanAt(at, l.cutRow, unsigned(LinkPhase::Cut)));
    else if (delay > 0)
        spans.push(spanAt(at, l.delayRow, unsigned(LinkPhase::Delayed)));
}

void LaneFold::killBeliefs(ClientSlot& c, std::int64_t at) {
    for (ThreadSlot* t : c.threads)
        for (Cursor* cursor : t->cursors) {
            const trace::Belief::Phase before = cursor->belief.phase;
            cursor->belief.die(at);
            if (before != trace::Belief::Phase::Idle) ended(*cursor, before, at);
        }
}

void LaneFold::setAsleep(ClientSlot& c, bool asleep, std::int64_t at) {
    for (ThreadSlot* t : c.threads)
        for (Cursor* cursor : t->cursors) {
            cursor->belief.setAsleep(asleep, at);
            noteDeadline(*cursor);
        }
}

void LaneFold::heal(std::int64_t at, std::uint32_t row) {
    for (LinkSlot& l : m_links)
        setLink(l, false, 0, at);
    for (ClientSlot& c : m_clients)
        if (c.life->spans.hasOpen() && c.life->spans.back().state == unsigned(LifePhase::Paused)) {
            setClientPhase(c, {}, at, row);
            setAsleep(c, false, at);
        }
    for (NodeSlot& n : m_nodes)
        if (n.known && n.phase == NodePhase::Paused) setNodePhase(n, NodePhase::Up, at, row);
}

void LaneFold::applyLife(const Event& event, std::uint32_t row) {
    const auto onClient = [&](std::optional<LifePhase> phase) {
        ClientSlot& c = client(event.actor);
        setClientPhase(c, phase, event.at, row);
        fault(event, row, &c.life->faults);
    };
    const auto onNode = [&](NodePhase phase) {
        NodeSlot& n = node(event.actor);
        setNodePhase(n, phase, event.at, row);
        // The first start is no fault.
        if (event.kind != EventKind::NodeStarted || event.flags & (trace::kFault | trace::kByHand))
            fault(event, row, &n.lane->faults);
    };
    const auto onLink = [&](auto change) {
        LinkSlot& l = link(event.subject);
        if (std::exchange(l.lane->folded, false)) ++m_data.m_layoutVersion;
        change(l);
        fault(event, row, &l.lane->faults);
    };
    switch (event.kind) {
    case EventKind::ClientStarted: {
        ClientSlot& c = client(event.actor);
        setClientPhase(c, {}, event.at, row);
        if (c.life->started) fault(event, row, &c.life->faults);
        c.life->started = true;
        expectBelief(event.actor); // a lane from its start on, also if it is struck before it ever asks
        break;
    }
    case EventKind::ClientPaused:
        onClient(LifePhase::Paused);
        // It cannot look at its clock: no deadline ends what it could act on the moment it goes on.
        setAsleep(client(event.actor), true, event.at);
        break;
    case EventKind::ClientResumed:
        onClient({});
        setAsleep(client(event.actor), false, event.at);
        break;
    case EventKind::ClientKilled:
        onClient(LifePhase::Dead);
        killBeliefs(client(event.actor), event.at);
        break;
    case EventKind::WatchdogStopped:
    case EventKind::WorkHung:
        fault(event, row, &client(event.actor).life->faults);
        break;
    case EventKind::ClockJumped:
        if (m_trace.entity(event.actor).kind == EntityKind::Node)
            fault(event, row, &node(event.actor).lane->faults);
        else
            fault(event, row, &client(event.actor).life->faults);
        break;
    case EventKind::SettingChanged:
        if (event.actor == trace::kNoEntity)
            fault(event, row, nullptr);
        else if (m_trace.entity(event.actor).kind == EntityKind::Node)
            fault(event, row, &node(event.actor).lane->faults);
        else
            fault(event, row, &client(event.actor).life->faults);
        break;
    case EventKind::NodeStarted:
    case EventKind::NodeResumed:
        onNode(NodePhase::Up);
        break;
    case EventKind::NodePaused:
        onNode(NodePhase::Paused);
        break;
    case EventKind::NodeKilled:
        onNode(NodePhase::Down);
        break;
    case EventKind::LinkCut:
        onLink([&](LinkSlot& l) {
            // A cut of other ways is a span of its own.
            const trace::CutWays ways = trace::cutWays(event.value);
            if (std::exchange(l.ways, ways) != ways) l.cut = false;
            l.cutRow = row;
            setLink(l, true, l.delay, event.at);
        });
        break;
    case EventKind::LinkMended:
        onLink([&](LinkSlot& l) { setLink(l, false, l.delay, event.at); });
        break;
    case EventKind::LinkDelayed:
        onLink([&](LinkSlot& l) {
            l.delayRow = row; // the delay goes on behind a cut, and shows again when that is mended
            setLink(l, l.cut, event.value, event.at);
        });
        break;
    case EventKind::ReplyLossArmed:
    case EventKind::PushLossArmed:
    case EventKind::RepeatArmed:
        onLink([](LinkSlot&) {});
        break;
    case EventKind::Healed:
        heal(event.at, row);
        fault(event, row, nullptr);
        break;
    case EventKind::NodeRole:
        applyRole(event, row);
        break;
    case EventKind::ReplicationLag:
        applyLag(event, row);
        break;
    case EventKind::SessionChanged: // being connected is as it should be
        if (trace::isOver(trace::sessionPhase(event.value)))
            m_sessionsOver.insert(event.actor);
        else
            m_sessionsOver.erase(event.actor);
        if (trace::SessionPhase(event.value) != trace::SessionPhase::Connected)
            fault(event, row, &client(event.actor).life->faults);
        break;
    case EventKind::EngineChanged:
        // Health is news of one process; a change of engines is everybody's.
        if (const auto news = trace::EngineNews(event.flags & trace::kEngineNewsMask);
            news == trace::EngineNews::Leaving || news == trace::EngineNews::InUse ||
            news == trace::EngineNews::Refused)
            fault(event, row, nullptr);
        applyEngine(event, row);
        break;
    case EventKind::ServerTold: // a fact that a look has found: nobody has done anything
        break;
    case EventKind::NodeDoubted:
    case EventKind::VoteCast:
        applyFailover(event, row);
        break;
    case EventKind::FailoverStep:
        applyFailover(event, row);
        if (event.flags & (trace::kFault | trace::kByHand)) fault(event, row, &node(event.subject).lane->faults);
        break;
    default:
        fault(event, row, nullptr);
        break;
    }
}

void LaneFold::applyPeerMessage(const Event& event, std::uint32_t row) {
    LinkSlot* const between = linkBetween(event.actor, event.subject);
    if (!between) return;
    Lane& lane = *between->lane;
    if (std::exchange(lane.folded, false)) ++m_data.m_layoutVersion;
    const LinkTick kind = event.value == -1            ? LinkTick::Lost
                          : event.actor == lane.client ? LinkTick::Request
                                                       : LinkTick::Reply;
    tick(lane.ticks, event.at, row, unsigned(kind));
}

void LaneFold::applyMessage(const Event& event, std::uint32_t row) {
    if (event.kind == EventKind::PeerMessage) return applyPeerMessage(event, row);
    const bool fromNode = event.kind == EventKind::Reply || event.kind == EventKind::Push;
    const EntityId clientId = fromNode ? event.subject : event.actor, nodeId = fromNode ? event.actor : event.subject;
    if (clientId == trace::kNoEntity || nodeId == trace::kNoEntity) return;
    LinkTick kind = LinkTick::Request;
    switch (event.kind) {
    case EventKind::Reply:
        kind = LinkTick::Reply;
        break;
    case EventKind::Push:
        kind = LinkTick::Push;
        break;
    case EventKind::ConnectionLost:
        kind = LinkTick::ConnectionLost;
        break;
    case EventKind::ConnectionRestored:
        kind = LinkTick::ConnectionRestored;
        break;
    default:
        break;
    }
    if (trace::isMessage(event.kind) && event.value == -1) kind = LinkTick::Lost;
    if (kind == LinkTick::ConnectionLost || kind == LinkTick::ConnectionRestored) {
        // A client that never started is the observer.
        const bool looks = !client(clientId).life->started;
        NodeSlot& n = node(nodeId);
        if (looks && n.known && kind == LinkTick::ConnectionLost && n.phase == NodePhase::Up)
            setNodePhase(n, NodePhase::Unseen, event.at, row);
        else if (looks && n.known && kind == LinkTick::ConnectionRestored && n.phase == NodePhase::Unseen)
            setNodePhase(n, NodePhase::Up, event.at, row);
        if (looks && inspect::serverEventIn(event, m_trace)) fault(event, row, &n.lane->faults);
    }
    Lane& lane = *link(clientId, nodeId).lane;
    if (kind == LinkTick::Lost && !lane.lossy) {
        const NodeSlot& n = node(nodeId);
        const bool bothThere = n.known && n.phase == NodePhase::Up && !client(clientId).life->spans.hasOpen();
        if (bothThere) ++m_data.m_layoutVersion;
        lane.lossy = bothThere;
    }
    tick(lane.ticks, event.at, row, unsigned(kind));
}

} // namespace lockscope::views
