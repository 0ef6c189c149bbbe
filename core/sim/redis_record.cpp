// SPDX-License-Identifier: Apache-2.0
#include "sim/redis_record.h"

#include "inspect/redis/majority.h"
#include "inspect/redis/recogniser.h"
#include "runtime/virtual_runtime.h"
#include "sim/key_look.h"
#include "sim/redis_server.h"

#include <algorithm>

namespace lockscope::sim {

namespace {

bool isHeld(const std::optional<inspect::LockRow>& row) {
    return row && row->state == inspect::LockRow::State::Held && row->holders.size() == 1;
}

bool sameParty(const inspect::Party& a, const inspect::Party& b) {
    return a.client == b.client && a.thread == b.thread;
}

} // namespace

// Deadlines are exact here: nothing is lost on a wire between the engine and this look at it.
RedisRecord::RedisRecord(VirtualScheduler& scheduler, trace::Recorder& recorder, trace::EntityId parent,
                         inspect::TraceFeed::Resolver owner)
    : m_scheduler(scheduler),
      m_recorder(recorder),
      m_logical(parent == trace::kNoEntity),
      m_feed(
          recorder, parent,
          [owner = std::move(owner)](const inspect::Party& party) {
              const trace::EntityId thread = PermitOwners::threadOf(party);
              return thread == trace::kNoEntity ? owner(party) : thread;
          },
          Nanos(0)) {
}

RedisRecord::~RedisRecord() {
    if (m_end) m_scheduler.cancel(m_end);
}

void RedisRecord::copies(RedisRecord& logical) {
    m_permits = logical.m_permits;
    m_feed.writeCopiesOf(logical.m_feed);
}

void RedisRecord::watch(const QByteArray& lockName, std::vector<QByteArray> keys, Strings strings) {
    Q_ASSERT(!keys.empty());
    m_feed.lockEntity(lockName);
    const Watched now{std::move(keys), strings};
    Watched& watched = m_watched[lockName];
    if (watched == now) return;
    if (watched.keys.empty()) writeDecider(lockName);
    const bool known = !std::exchange(watched, now).keys.empty();
    const bool anyAlive =
        std::ranges::any_of(m_deciders, [](const RedisServer* server) { return server->life() != Server::Life::Dead; });
    if (known && anyAlive) write(lockName, {});
}

std::vector<QByteArray> RedisRecord::keysOf(const QByteArray& lockName) const {
    const auto watched = m_watched.find(lockName);
    return watched == m_watched.end() ? std::vector{lockName} : watched->second.keys;
}

void RedisRecord::decidedBy(std::vector<RedisServer*> servers, std::size_t quorum) {
    for (RedisServer* server : m_deciders)
        server->tellNoMore(*this);
    m_deciders = std::move(servers);
    m_quorum = quorum;
    m_changed.clear();
    for (const auto& [name, keys] : m_watched)
        writeDecider(name);
    for (RedisServer* server : m_deciders)
        server->tell(*this);
    // A lock that the previous server had, and this one has not, was lost with the previous one.
    writeAll({.freedBy = trace::FreedBy::NodeLoss});
}

void RedisRecord::setDecides(bool decides) {
    if (decides == m_decides) return;
    // Its holds are lost with it; from here on it is silent.
    for (const auto& [name, watched] : m_watched)
        if (!decides) m_feed.update(name, std::nullopt, {.freedBy = trace::FreedBy::NodeLoss});
    m_decides = decides;
    if (decides && !m_deciders.empty()) writeAll({});
}

void RedisRecord::writeAll(const inspect::Sight& sight) {
    for (const auto& [name, watched] : m_watched)
        write(name, sight);
}

void RedisRecord::writeDecider(const QByteArray& lockName) {
    if (!m_logical || !m_decides) return;
    const bool one = m_deciders.size() == 1;
    m_recorder.emit(trace::EventKind::RecordDecider, one ? m_deciders.front()->entity() : trace::kNoEntity,
                    m_feed.lockEntity(lockName),
                    m_deciders.empty() ? 0
                    : one              ? 1
                                       : std::int64_t(m_quorum));
}

void RedisRecord::keyChanged(const RedisServer& server, const RedisEngine::KeyChange& change, trace::EntityId cause) {
    inspect::Sight& sight = m_changed[change.key] = {};
    sight.cause = cause;
    if (change.by == server.inside()) sight.freedBy = trace::FreedBy::Force;          // it looks, and frees by force
    if (change.command.startsWith("FLUSH")) sight.freedBy = trace::FreedBy::NodeLoss; // of this lock nobody thought
    if (change.expired)
        sight.freedBy = trace::FreedBy::Expiry;
    else if (change.command.isEmpty()) // nobody's command, and not over: for lack of memory
        sight.freedBy = trace::FreedBy::Evicted;
}

void RedisRecord::ran(const RedisServer& server, SessionId session, const redis::Args& args,
                      const redis::Reply& reply) {
    if (args.size() == 2 && args[0] == "GET" && m_watched.contains(args[1]))
        m_read[{server.entity(), session}][args[1]] = reply.text;
    if (losesRace(server, session, args, reply)) m_changed[args[1]].ownerStays = true;
}

bool RedisRecord::losesRace(const RedisServer& server, SessionId session, const redis::Args& args,
                            const redis::Reply& reply) const {
    if (args.size() != 3 || args[0] != "GETSET" || !m_watched.contains(args[1])) return false;
    const auto read = m_read.find({server.entity(), session});
    if (read == m_read.end()) return false;
    const auto before = read->second.find(args[1]);
    return before != read->second.end() && before->second != reply.text;
}

void RedisRecord::left(const RedisServer& server, SessionId session) {
    if (!m_read.empty()) m_read.erase({server.entity(), session});
}

void RedisRecord::settle() {
    // Looking at a key may expire it: such changes are written in another round.
    while (!m_changed.empty()) {
        std::map<QByteArray, inspect::Sight> changed;
        changed.swap(m_changed);
        for (const auto& [name, watched] : m_watched) {
            bool concerned = false;
            inspect::Sight sight;
            for (const QByteArray& key : watched.keys) {
                const auto first = std::ranges::find_if(
                    changed, [&key](const auto& entry) { return concernsRecord(entry.first, key); });
                concerned = concerned || first != changed.end();
                // A permit's lease stands beside the number of permits, not in it.
                if (first != changed.end() && watched.strings == Strings::CountPermits) sight = first->second;
                const auto own = changed.find(key);
                if (own != changed.end()) sight = own->second;
            }
            if (concerned) write(name, sight);
        }
    }
}

void RedisRecord::died(RedisServer& server) {
    if (m_deciders.size() > 1 && server.keepsData()) {
        for (const auto& [name, watched] : m_watched) {
            Found copy = lookAtLockOn(server, name, watched);
            if (isThere(copy)) m_onDisk[{server.entity(), name}] = std::move(copy);
        }
    }
    m_changed.clear();
    writeAll({.freedBy = trace::FreedBy::NodeLoss});
}

void RedisRecord::booted(const RedisServer& server) {
    std::erase_if(m_onDisk, [&server](const auto& copy) { return copy.first.first == server.entity(); });
    // Nobody renewed a hold that was loaded; a hold that was not is lost.
    writeAll({.freedBy = trace::FreedBy::NodeLoss, .clockMoved = true});
}

void RedisRecord::clockMoved() {
    writeAll({.clockMoved = true});
}

void RedisRecord::write(const QByteArray& lockName, inspect::Sight sight) {
    if (!m_decides) return;
    Found found = lookAtLock(lockName);
    if (found.unknown) {
        setObserved(lockName, false);
        armEnd(found.exactDeadline);
        return;
    }
    setObserved(lockName, true);
    if (m_nameless && found.row) nameByValue(found, sight.cause);
    if (m_deciders.size() > 1 && found.row && !found.raw.empty()) {
        // When several clients write to single servers, the client that completes the majority is the owner.
        const inspect::RawValue written = found.raw.front().value;
        sight.ownerStays = std::exchange(m_majority[lockName], written) == written;
    } else if (m_deciders.size() > 1) {
        m_majority.erase(lockName);
    }
    sight.exactDeadline = found.exactDeadline;
    if (found.row)
        found.row->raw = std::move(found.raw);
    else
        sight.raw = std::move(found.raw);
    // A world of our own knows its locks; how sure a stranger could be of its keys is no part of it.
    if (found.row) found.row->certainty = inspect::Certainty::Certain;
    if (found.row && m_watched.at(lockName).strings == Strings::CountPermits) {
        m_permits->saw(*found.row, sight.cause);
        m_permits->nameHolders(*found.row);
        // Ended permits stay in the server's set until the next client asks; no key goes that would tell.
        if (sight.clockMoved && !sight.freedBy) sight.freedBy = trace::FreedBy::Expiry;
        armEnd(found.exactDeadline);
    }
    m_feed.update(lockName, found.row, sight);
    m_contentLook.arm();
}

void RedisRecord::setObserved(const QByteArray& lockName, bool observed) {
    const bool changed = observed ? m_unobserved.erase(lockName) > 0 : m_unobserved.insert(lockName).second;
    if (!changed) return;
    m_recorder.emit(observed ? trace::EventKind::RecordObserved : trace::EventKind::RecordUnobserved, trace::kNoEntity,
                    m_feed.lockEntity(lockName));
}

void RedisRecord::nameByValue(Found& found, trace::EntityId cause) const {
    inspect::LockRow& row = *found.row;
    row.holders.clear();
    const QByteArray value = found.raw.empty() ? QByteArray() : found.raw.front().value.json().toString().toUtf8();
    if (value.isEmpty()) return;
    row.holders.resize(1);
    row.holders.front().client = value;
    m_permits->saw(row, cause);
    m_permits->nameHolders(row);
    if (PermitOwners::threadOf(row.holders.front()) == trace::kNoEntity) row.holders.clear();
}

bool RedisRecord::anyRuns() const {
    return std::ranges::any_of(m_deciders, [](const RedisServer* server) { return server->acts(); });
}

void RedisRecord::writeHeldBack() {
    if (anyRuns()) writeAll({}); // else looked at when they go on
}

void RedisRecord::armEnd(Nanos due) {
    if (due == kNever) return;
    if (m_end && due >= m_endAt) return;
    if (m_end) m_scheduler.cancel(m_end);
    m_endAt = due;
    m_end = m_scheduler.at(due, [this] {
        m_end = 0;
        // Nothing but time has passed: what is gone has ended.
        if (anyRuns()) writeAll({.freedBy = trace::FreedBy::Expiry});
    });
}

RedisRecord::Found RedisRecord::lookAtLock(const QByteArray& lockName) const {
    if (m_deciders.size() > 1) return majority(lockName);
    Found none;
    none.unknown = m_deciders.empty() || m_deciders.front()->keepsData();
    const bool runs = !m_deciders.empty() && m_deciders.front()->life() != Server::Life::Dead;
    return runs ? lookAtLockOn(*m_deciders.front(), lockName, m_watched.at(lockName)) : none;
}

bool RedisRecord::isThere(const Found& found) {
    return found.row && found.row->state == inspect::LockRow::State::Held;
}

RedisRecord::Found RedisRecord::majority(const QByteArray& lockName) const {
    std::vector<Found> copies, onDisks;
    for (RedisServer* server : m_deciders) {
        if (server->life() != Server::Life::Dead) {
            Found copy = lookAtLockOn(*server, lockName, m_watched.at(lockName));
            if (isThere(copy)) copies.push_back(std::move(copy));
            continue;
        }
        const auto kept = m_onDisk.find({server->entity(), lockName});
        if (kept != m_onDisk.end() && kept->second.exactDeadline > m_scheduler.now()) onDisks.push_back(kept->second);
    }
    const auto holdsOf = [](const std::vector<Found>& all) {
        std::vector<inspect::HoldCopy> holds;
        for (const Found& found : all)
            holds.push_back({&*found.row, &found.raw, found.exactDeadline.count()});
        return holds;
    };
    constexpr std::size_t kNone = 0; // a simulated disk's content is known
    const inspect::Majority all = inspect::majorityOf(holdsOf(copies), holdsOf(onDisks), kNone, m_quorum);
    if (all.says == inspect::Majority::Says::Held) {
        Found held = copies[all.hold];
        held.exactDeadline = copies[all.endsBy].exactDeadline;
        held.row->ttlMs = copies[all.endsBy].row->ttlMs;
        return held;
    }
    Found none;
    none.unknown = all.says == inspect::Majority::Says::NotKnown;
    if (none.unknown) none.exactDeadline = std::ranges::min(onDisks, {}, &Found::exactDeadline).exactDeadline;
    return none;
}

RedisRecord::Found RedisRecord::lookAtLockOn(RedisServer& server, const QByteArray& lockName, const Watched& watched) {
    const std::vector<QByteArray>& keys = watched.keys;
    Found all = lookAtPart(server, keys.front(), watched.strings);
    bool whole = keys.size() == 1 || isHeld(all.row);
    for (std::size_t i = 1; i < keys.size(); ++i) {
        Found part = lookAtPart(server, keys[i], watched.strings);
        std::ranges::move(part.raw, std::back_inserter(all.raw));
        whole = whole && isHeld(part.row);
        if (!whole) continue;
        inspect::Party& whose = all.row->holders.front();
        const inspect::Party& other = part.row->holders.front();
        whole = sameParty(whose, other);
        whose.holds = std::min(whose.holds, other.holds);
        if (part.exactDeadline >= all.exactDeadline) continue;
        all.exactDeadline = part.exactDeadline; // the first part to go takes the whole along
        all.row->ttlMs = part.row->ttlMs;
        all.row->neverExpires = false;
    }
    if (keys.size() == 1) return all;
    if (!whole) return {{}, kNever, std::move(all.raw)};
    all.row->name = lockName;
    all.row->waiters.reset(); // waiters for one part do not queue for the whole
    all.row->waiterCount.reset();
    return all;
}

RedisRecord::Found RedisRecord::lookAtPart(RedisServer& server, const QByteArray& key, Strings strings) {
    const bool locks = strings == Strings::AreLocks;
    auto keys = lookAt(server.engine(), server.inside(), key, locks ? LookAt::First : LookAt::All);
    // A key without a TTL may carry its end in its value, by the clock of the client that wrote it.
    const bool byServer = !locks || (!keys.empty() && keys.front().ttlMs);
    const Nanos offset = byServer ? server.clockOffset() : Nanos(0);
    const auto wall = std::chrono::floor<std::chrono::milliseconds>(server.present() + offset);
    inspect::RecogniserOptions options;
    options.patterns.clear();
    if (locks) options.patterns.push_back({key, "string"});
    options.wallMs = VirtualRuntime::kEpochMs + wall.count();
    Found found;
    for (inspect::KeySnapshot& look : keys) {
        // TTLs are whole milliseconds from the clock's present one: the two together do not change while time passes.
        if (look.ttlMs) look.ends = inspect::EndsWithin{options.wallMs + *look.ttlMs, options.wallMs + *look.ttlMs};
    }
    for (auto& row : inspect::recognise(keys, std::nullopt, options)) {
        if (row.name == key) found.row = std::move(row);
    }
    if (found.row)
        found.raw = std::move(found.row->raw);
    else
        std::ranges::transform(keys, std::back_inserter(found.raw), inspect::toRaw);
    if (found.row && found.row->ttlMs) {
        const std::int64_t endMs = options.wallMs + *found.row->ttlMs;
        found.exactDeadline = byServer ? server.instantOf(endMs * 1000) // its clock may be a fast one
                                       : wall + std::chrono::milliseconds(*found.row->ttlMs);
    }
    return found;
}

} // namespace lockscope::sim
