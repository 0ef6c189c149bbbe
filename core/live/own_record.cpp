// SPDX-License-Identifier: Apache-2.0
#include "live/own_record.h"

#include "trace/part_release.h"

namespace lockscope::live {

using trace::EventKind;

namespace {
/// How long a look may take from its first read on the server to our hearing of it.
constexpr Nanos kLongestLook = 100ms;

const char* modeName(trace::HoldMode mode) {
    switch (mode) {
    case trace::HoldMode::Exclusive:
        break;
    case trace::HoldMode::Shared:
        return "shared";
    case trace::HoldMode::Permit:
        return "permit";
    }
    return "exclusive";
}
} // namespace

OwnRecord::OwnRecord(trace::Recorder& recorder, inspect::TraceFeed& feed, Identity identity)
    : m_recorder(recorder), m_feed(feed), m_identity(std::move(identity)) {
    m_recorder.onEvent([this](const trace::Event& event) { hear(event); });
}

bool OwnRecord::knowsBetter(const QByteArray& lockName, Nanos lookedAt) const {
    const auto lock = m_locks.find(lockName);
    return lock != m_locks.end() && lock->second.told >= Nanos(0) && lookedAt - lock->second.told < kLongestLook;
}

void OwnRecord::held(const QByteArray& name, Lock& lock, trace::EntityId thread, int holds) {
    std::optional<inspect::Party> party = m_identity(thread);
    if (!party) return;
    party->holds = holds;
    inspect::LockRow row;
    row.name = name;
    row.state = inspect::LockRow::State::Held;
    row.ttlMs = std::chrono::duration_cast<std::chrono::milliseconds>(m_leaseOf(name)).count();
    row.mode = modeName(lock.mode);
    row.holders = {*party};
    lock.owner = thread;
    lock.holds = holds;
    if (lock.mode == trace::HoldMode::Permit) return;
    lock.told = m_recorder.now();
    if (lock.mode == trace::HoldMode::Shared) {
        row.holders.front().mode = row.mode;
        row.holders.front().ttlMs = row.ttlMs;
        m_feed.holderCame(name, row);
    } else {
        m_feed.updateOwner(name, row, trace::kNoEntity);
    }
}

std::optional<inspect::Party> OwnRecord::readerOf(trace::EntityId thread) const {
    std::optional<inspect::Party> party = m_identity(thread);
    if (party) party->mode = modeName(trace::HoldMode::Shared);
    return party;
}

void OwnRecord::granted(const QByteArray& name, Lock& lock, trace::EntityId thread, int holds) {
    trace::HoldMode mode = trace::HoldMode::Exclusive;
    if (const auto announced = lock.announced.extract(thread)) mode = announced.mapped();
    // Another reader's release leaves the lock to the other readers.
    const bool alone = mode == trace::HoldMode::Exclusive || !lock.together.contains(lock.owner);
    if (alone && lock.owner != thread && lock.releasing.contains(lock.owner)) freed(name, lock, lock.owner);
    if (mode == trace::HoldMode::Exclusive)
        lock.together.clear();
    else
        lock.together[thread] = holds;
    // An exclusive holder may also read: it stays exclusive.
    const bool readsToo = mode != trace::HoldMode::Exclusive && lock.owner == thread && holds > 1 &&
                          lock.mode == trace::HoldMode::Exclusive;
    if (!readsToo) lock.mode = mode;
    held(name, lock, thread, holds);
}

void OwnRecord::released(const QByteArray& name, Lock& lock, trace::EntityId thread, trace::EntityId ownerThen) {
    const bool shared = lock.together.erase(thread) > 0 && lock.mode == trace::HoldMode::Shared;
    if (shared) {
        if (lock.owner == thread) lock.owner = lock.together.empty() ? trace::kNoEntity : lock.together.begin()->first;
        lock.told = m_recorder.now();
        if (const auto reader = readerOf(thread)) m_feed.holderWent(name, *reader, thread);
        return;
    }
    // It frees its own hold; a recipe that does not check the owner frees the hold of any client that had it when the
    // release was sent.
    const bool freesIt = lock.owner == thread || (lock.owner != trace::kNoEntity && lock.owner == ownerThen);
    if (freesIt) freed(name, lock, thread);
}

void OwnRecord::seen(const QByteArray& lockName, trace::EntityId owner) {
    Lock& lock = m_locks[lockName];
    lock.owner = owner;
    if (owner == trace::kNoEntity) lock.together.clear();
}

void OwnRecord::freed(const QByteArray& name, Lock& lock, trace::EntityId cause) {
    lock.owner = trace::kNoEntity;
    if (lock.mode == trace::HoldMode::Permit) return;
    lock.told = m_recorder.now();
    m_feed.updateOwner(name, std::nullopt, cause);
}

void OwnRecord::hear(const trace::Event& event) {
    if (!trace::isBelief(event.kind)) return;
    const trace::Entity& entity = m_recorder.trace().entity(event.subject);
    if (m_node && entity.parent != *m_node) return; // a lock of the same name on another server
    const QByteArray name = entity.name;
    Lock& lock = m_locks[name];
    switch (event.kind) {
    case EventKind::GrantedAs:
        lock.announced[event.actor] = event.value == 1 ? trace::HoldMode::Shared : trace::HoldMode::Permit;
        break;
    case EventKind::Granted:
    case EventKind::Reentered:
        granted(name, lock, event.actor, static_cast<int>(event.aux));
        break;
    case EventKind::Renewed:
        if (const auto reads = lock.together.find(event.actor); reads != lock.together.end())
            held(name, lock, event.actor, reads->second);
        else if (lock.owner == event.actor)
            held(name, lock, event.actor, lock.holds);
        break;
    case EventKind::ReleaseSent:
        if (!trace::givesBackPart(event)) lock.releasing[event.actor] = lock.owner;
        break;
    case EventKind::Released: {
        const auto sent = lock.releasing.find(event.actor);
        const trace::EntityId ownerThen = sent == lock.releasing.end() ? trace::kNoEntity : sent->second;
        if (sent != lock.releasing.end()) lock.releasing.erase(sent);
        if (event.aux == 0) released(name, lock, event.actor, ownerThen);
        break;
    }
    case EventKind::ReleaseRefused:
    case EventKind::ReleaseFailed:
        lock.releasing.erase(event.actor);
        lock.together.erase(event.actor);
        break;
    case EventKind::Lost:
        lock.together.erase(event.actor);
        break;
    default:
        break;
    }
}

} // namespace lockscope::live
