// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/lane_fold.h"

namespace lockscope::views {

using trace::EntityKind;
using trace::Event;
using trace::EventKind;

template <typename Slot>
Slot& LaneFold::slotOf(EntityId id, std::deque<Slot>& slots, bool& isNew) {
    if (id >= m_slotOf.size()) m_slotOf.resize(std::max<std::size_t>(id + 1, m_slotOf.size() * 2));
    std::uint32_t& index = m_slotOf[id];
    // A damaged recording may use one entity as two things: the second thing gets a slot of its own each time.
    isNew = index == 0 || index > slots.size();
    if (isNew) {
        slots.emplace_back();
        index = std::uint32_t(slots.size());
    }
    return slots[index - 1];
}

void LaneFold::takeEntities() {
    const std::size_t count = m_trace.entityCount();
    for (; m_entities < count; ++m_entities) {
        const auto id = EntityId(m_entities);
        switch (m_trace.entity(id).kind) {
        case EntityKind::Link:
            link(id);
            break;
        case EntityKind::Node:
            node(id);
            break;
        case EntityKind::Lock:
            lock(id);
            if (m_trace.copyOf(id) == trace::kNoEntity && m_locksSoFar++ == 0) m_firstLock = id;
            break;
        case EntityKind::Resource:
            resource(id);
            break;
        case EntityKind::Thread:
            if (m_locksSoFar > 0)
                m_expected.try_emplace(m_trace.clientOf(id),
                                       Expected{id, m_locksSoFar == 1 ? m_firstLock : trace::kNoEntity});
            break;
        default:
            break;
        }
    }
}

LaneFold::ThreadSlot& LaneFold::thread(EntityId id) {
    bool isNew = false;
    ThreadSlot& slot = slotOf(id, m_threads, isNew);
    if (isNew) {
        slot.id = id;
        client(m_trace.clientOf(id)).threads.push_back(&slot);
    }
    return slot;
}

LaneFold::ClientSlot& LaneFold::client(EntityId id) {
    bool isNew = false;
    ClientSlot& slot = slotOf(id, m_clients, isNew);
    if (isNew) {
        m_data.m_lives.push_back(std::make_unique<ClientLife>());
        slot.life = m_data.m_lives.back().get();
        slot.life->client = id;
    }
    return slot;
}

LaneFold::LockSlot& LaneFold::lock(EntityId id) {
    bool isNew = false;
    LockSlot& slot = slotOf(id, m_locks, isNew);
    if (isNew) {
        slot.id = id;
        const EntityId logical = m_trace.copyOf(id);
        const bool copy = logical != trace::kNoEntity && logical != id;
        slot.lane =
            &m_data.addLane(copy ? LaneKind::Copy : LaneKind::Record, id, trace::kNoEntity, m_trace.entity(id).parent);
        m_data.m_lockCount += !copy;
        if (copy) {
            LockSlot& whole = lock(logical); // slots never move
            slot.lane->logical = whole.lane;
            if (slot.lane->other != trace::kNoEntity) slot.lane->host = node(slot.lane->other).lane;
            whole.lane->members.push_back(slot.lane);
            whole.copies.push_back(&slot);
        }
    }
    return slot;
}

LaneFold::NodeSlot& LaneFold::node(EntityId id) {
    bool isNew = false;
    NodeSlot& slot = slotOf(id, m_nodes, isNew);
    if (isNew) {
        slot.id = id;
        slot.lane = &m_data.addLane(LaneKind::Node, id, trace::kNoEntity, trace::kNoEntity);
    }
    return slot;
}

LaneFold::ResourceSlot& LaneFold::resource(EntityId id) {
    bool isNew = false;
    ResourceSlot& slot = slotOf(id, m_resources, isNew);
    if (isNew) {
        const EntityId guardedBy = m_trace.entity(id).parent;
        slot.lane = &m_data.addLane(LaneKind::Effect, id, trace::kNoEntity, guardedBy);
        if (guardedBy != trace::kNoEntity) slot.lock = &lock(guardedBy);
    }
    return slot;
}

LaneFold::LinkSlot& LaneFold::link(EntityId clientId, EntityId nodeId) {
    ClientSlot& c = client(clientId);
    if (c.lastLink && c.lastLink->node == nodeId) return *c.lastLink;
    for (LinkSlot* l : c.links)
        if (l->node == nodeId) return *(c.lastLink = l);
    LinkSlot& slot = m_links.emplace_back();
    slot.node = nodeId;
    slot.lane = &m_data.addLane(LaneKind::Link, trace::kNoEntity, clientId, nodeId);
    c.links.push_back(&slot);
    return *(c.lastLink = &slot);
}

LaneFold::LinkSlot& LaneFold::link(EntityId linkId) {
    const trace::Entity& e = m_trace.entity(linkId);
    if (m_trace.entity(e.parent).kind == EntityKind::Node) { // between servers: neither end is a client
        bool isNew = false;
        LinkSlot& between = slotOf(linkId, m_links, isNew);
        if (isNew) {
            between.node = e.other;
            between.lane = &m_data.addLane(LaneKind::Link, linkId, e.parent, e.other);
            between.lane->folded = true; // until it has a message, or something is done to it: there are many
            m_serverLinks[std::minmax(e.parent, e.other)] = &between;
        }
        return between;
    }
    LinkSlot& slot = link(e.parent, e.other);
    slot.lane->entity = linkId;
    return slot;
}

LaneFold::LinkSlot* LaneFold::linkBetween(EntityId a, EntityId b) {
    const auto found = m_serverLinks.find(std::minmax(a, b));
    return found == m_serverLinks.end() ? nullptr : found->second;
}

LaneFold::Cursor& LaneFold::cursor(EntityId threadId, EntityId lockId) {
    ThreadSlot& t = thread(threadId);
    for (Cursor* c : t.cursors)
        if (c->lock->id == lockId) return *c;
    Cursor& c = m_cursors.emplace_back();
    c.thread = threadId;
    c.lock = &lock(lockId);
    const EntityId clientId = m_trace.clientOf(threadId);
    if (t.idle) {
        c.lane = std::exchange(t.idle, nullptr);
        c.lane->other = lockId;
        ++m_data.m_layoutVersion; // it stands in the order of its lock from now on
    } else {
        c.lane = &m_data.addLane(LaneKind::Belief, threadId, clientId, lockId);
    }
    c.lane->life = client(clientId).life;
    t.cursors.push_back(&c);
    return c;
}

LaneFold::Cursor* LaneFold::knownCursor(EntityId threadId, const LockSlot& l) {
    for (Cursor* c : thread(threadId).cursors)
        if (c->lock == &l) return c;
    return nullptr;
}

void LaneFold::expectBelief(EntityId clientId) {
    const auto expected = m_expected.find(clientId);
    if (expected == m_expected.end()) return;
    const auto [threadId, lockId] = expected->second;
    m_expected.erase(expected);
    if (lockId != trace::kNoEntity) {
        cursor(threadId, lockId);
        return;
    }
    ThreadSlot& t = thread(threadId);
    if (t.idle || !t.cursors.empty()) return; // it has asked already
    t.idle = &m_data.addLane(LaneKind::Belief, threadId, clientId, trace::kNoEntity);
    t.idle->life = client(clientId).life;
}

void LaneFold::tick(TickTrack& track, std::int64_t at, std::uint32_t row, unsigned kind, std::uint32_t label) {
    Tick t;
    t.at = at;
    t.row = row;
    t.kind = std::uint8_t(kind);
    t.label = label & 0xffffffu;
    track.push(t);
}

void LaneFold::fault(const Event& event, std::uint32_t row, TickTrack* lane) {
    const auto kind = unsigned(event.flags & trace::kByHand ? FaultTick::ByHand : FaultTick::Planned);
    if (lane) tick(*lane, event.at, row, kind);
    tick(m_data.m_faults, event.at, row, kind);
}

void LaneFold::apply(const Event& event, std::uint32_t row) {
    if (event.at >= m_alarm) passTime(event.at);
    if (trace::isMessage(event.kind))
        applyMessage(event, row);
    else if (event.kind == EventKind::Step)
        return;
    else if (trace::isBelief(event.kind))
        applyBelief(event, row);
    else if (trace::isRecord(event.kind))
        applyRecord(event, row);
    else if (trace::isEffect(event.kind))
        applyEffect(event, row);
    else if (trace::isLife(event.kind))
        applyLife(event, row);
    else if (event.kind == EventKind::ConnectionLost || event.kind == EventKind::ConnectionRestored)
        applyMessage(event, row);
}

} // namespace lockscope::views
