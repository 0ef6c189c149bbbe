// SPDX-License-Identifier: Apache-2.0
#include "sim/redis_server.h"

#include "sim/probe.h"
#include "sim/seeds.h"

namespace lockscope::sim {

namespace {
constexpr Nanos kBeat = 1s;
/// Redis does not wait longer for a flush that hangs: then it writes, which hangs as well.
constexpr Nanos kLongestWrite = 2s;

QByteArray makeRunId(std::uint64_t seed) {
    QByteArray id;
    for (std::uint64_t part = 0; id.size() < 40; ++part)
        id += QByteArray::number(qulonglong(mixSeed(seed, part)), 16).rightJustified(16, '0');
    return id.left(40);
}
} // namespace

RedisServer::RedisServer(Grounds grounds, const QByteArray& id, std::uint64_t seed)
    : RedisServer(grounds, id, seed, {}, nullptr) {
}

RedisServer::RedisServer(Grounds grounds, const QByteArray& id, std::uint64_t seed, Settings settings, Finder finder)
    : RespServer(grounds, id, seed),
      m_inside(m_engine.connect()),
      m_settings(std::move(settings)),
      m_finder(std::move(finder)),
      m_runId(makeRunId(seed)) {
    if (m_settings.replication) {
        m_replication = std::make_unique<Replication>(*this, grounds, *m_settings.replication, mixSeed(seed, 1));
        m_replication->onAck = [this] { answerWaits(); };
        m_replication->onLink = [this] {
            if (onRole) onRole(*this);
        };
        m_engine.tooFewReplicas = [this] {
            if (m_replication->tooFewGood()) reached(Probe::TooFewReplicas);
            return m_replication->tooFewGood();
        };
        m_engine.onDeployment = [this](SessionId session, const QByteArray& command, const redis::Args& args) {
            return deployment(session, command, args);
        };
    }
    if (m_replication || keepsData())
        m_engine.onEffects = [this](std::vector<RedisEngine::Effect> effects) { feed(std::move(effects)); };
    if (m_settings.cluster) joinCluster(*m_settings.cluster, mixSeed(seed, 2));
    grounds.recorder.emit(trace::EventKind::NodeStarted, entity());
    if (m_replication || m_settings.persistence == Persistence::EverySecond) after(kBeat, [this] { beat(); });
}

RedisServer::~RedisServer() {
    if (m_expiry) grounds().scheduler.cancel(m_expiry);
}

void RedisServer::tell(RedisRecord& record) {
    m_records.push_back(&record);
    m_engine.onKeyChange = [this](const RedisEngine::KeyChange& change) {
        const ClientEnd* const end = clientOf(change.by);
        for (RedisRecord* const told : m_records)
            told->keyChanged(*this, change, end ? end->thread : trace::kNoEntity);
    };
}

void RedisServer::tellNoMore(RedisRecord& record) {
    std::erase(m_records, &record);
    if (m_records.empty()) m_engine.onKeyChange = nullptr;
}

std::optional<redis::Reply> RedisServer::command(const redis::Args& args) {
    if (!acts()) return std::nullopt;
    redis::Reply reply = m_engine.execute(m_inside, args);
    settle();
    return reply;
}

void RedisServer::evict(const QByteArray& key) {
    if (!acts()) return;
    m_engine.evict(0, key);
    settle();
}

void RedisServer::serve(SessionId session, const redis::Args& args, Answer answer) {
    const bool asked = m_asking.contains(session);
    redis::Reply reply = m_engine.execute(session, args);
    if (asked) m_asking.erase(session);
    for (RedisRecord* const record : m_records)
        record->ran(*this, session, args, reply);
    settle();
    if (acts()) return this->reply(session, args, std::move(reply), std::move(answer));
    onDisk([this, session, args, reply, answer] {
        if (clientOf(session)) this->reply(session, args, reply, answer);
    });
}

/// After the file has what the command did.
void RedisServer::reply(SessionId session, const redis::Args& args, redis::Reply reply, Answer answer) {
    if (m_replication && holdBack(session, args, reply, answer)) return;
    answer(std::move(reply));
    if (std::exchange(m_cutClients, false)) cutClients();
}

void RedisServer::left(SessionId session) {
    for (RedisRecord* const record : m_records)
        record->left(*this, session);
    m_positions.erase(session);
    m_asking.erase(session);
    m_readers.erase(session);
    std::erase_if(m_waits, [session](const Waiting& wait) { return wait.session == session; });
}

void RedisServer::settle() {
    for (RedisRecord* const record : m_records)
        record->settle();
    armExpiry();
    writeFile();
}

void RedisServer::applied() {
    m_unwritten = keepsData();
    settle();
}

void RedisServer::dataReplaced() {
    clockMoved(); // nobody's command did it
    armExpiry();
}

void RedisServer::clockMoved() {
    for (RedisRecord* const record : m_records)
        record->clockMoved();
}

void RedisServer::armExpiry() {
    const std::optional<std::int64_t> due = acts() ? m_engine.nextExpiryUs() : std::nullopt;
    const Nanos at = due ? instantOf(*due) : kNever;
    if (at == m_expiryAt) return;
    if (m_expiry) grounds().scheduler.cancel(std::exchange(m_expiry, 0));
    m_expiryAt = at;
    if (at != kNever) m_expiry = grounds().scheduler.at(at, [this] { expire(); });
}

void RedisServer::expire() {
    m_expiry = 0;
    m_expiryAt = kNever;
    m_engine.expireDue();
    settle();
}

void RedisServer::resumed() {
    expire();
    clockMoved();
}

void RedisServer::clockSet() {
    m_expiryAt = kNever;
    if (m_expiry) grounds().scheduler.cancel(std::exchange(m_expiry, 0));
    if (!acts()) return; // a stopped server looks at its clock when it goes on
    m_engine.expireDue();
    settle();
    clockMoved();
    answerWaits();
}

// --- death and disk ---

void RedisServer::died(Death death) {
    // The kernel has what the process wrote; the disk has what was flushed.
    if (keepsData()) {
        if (!m_flushHangs) m_kept = m_engine.snapshot();
        if (m_settings.persistence == Persistence::Always && !diskStalls()) m_flushed = m_kept;
    }
    m_unwritten = m_unflushed = m_flushHangs = m_writeWaits = false;
    armExpiry();
    if (m_replication) m_replication->died(death == Death::Crashed);
    m_waits.clear();
    for (RedisRecord* const record : m_records)
        record->died(*this);
    m_engine.clear();
    m_engine.setFull(false);
    RespServer::died(death);
    if (onRole) onRole(*this);
}

void RedisServer::booted(Disk disk) {
    if (disk == Disk::Empty) {
        m_kept.reset();
        m_flushed.reset();
        if (m_replication) m_replication->forgetCopy();
    }
    RedisEngine::Data data = disk == Disk::Kept ? m_kept : m_flushed;
    const bool fromCopy = !keepsData() && m_replication && m_replication->copy();
    if (fromCopy) data = m_replication->copy();
    m_engine.setRole(m_configured ? RedisEngine::Role::Replica : RedisEngine::Role::Master);
    if (data) m_engine.load(data);
    if (m_replication) m_replication->booted(m_configured, fromCopy);
    if (m_cluster) m_cluster->booted();
    for (RedisRecord* const record : m_records)
        record->booted(*this);
    armExpiry();
    if (m_replication || m_settings.persistence == Persistence::EverySecond) after(kBeat, [this] { beat(); });
    if (onRole) onRole(*this);
}

void RedisServer::beat() {
    if (m_replication) m_replication->tick();
    if (m_settings.persistence == Persistence::EverySecond) flushFile();
    after(kBeat, [this] { beat(); });
}

// --- a disk that stalls ---

void RedisServer::diskStalled() {
    ++m_stalls;
    // From now on a loss of power loses what is written, and nobody is told that it was.
    if (m_settings.persistence == Persistence::Always) m_flushed = m_engine.snapshot();
}

void RedisServer::diskFreed() {
    m_flushHangs = m_writeWaits = false;
}

/// A second is over: the file is flushed in the background, unless an earlier flush still hangs.
void RedisServer::flushFile() {
    if (!diskStalls()) {
        m_flushed = m_engine.snapshot();
        m_unflushed = false;
    } else if (m_unflushed && !m_flushHangs) {
        m_flushHangs = true;
        m_kept = m_engine.snapshot();
    }
}

/// A turn of the loop ends: its effects go into the file, before any reply.
void RedisServer::writeFile() {
    if (!std::exchange(m_unwritten, false)) return;
    if (m_settings.persistence == Persistence::Always) {
        if (diskStalls()) standStill();
        return;
    }
    m_unflushed = true;
    if (!m_flushHangs || std::exchange(m_writeWaits, true)) return;
    after(kLongestWrite, [this, stall = m_stalls] {
        if (stall == m_stalls && m_writeWaits) standStill();
    });
}

} // namespace lockscope::sim
