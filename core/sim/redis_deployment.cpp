// SPDX-License-Identifier: Apache-2.0
// A simulated Redis as one of several: roles, and commands about them.
#include "sim/probe.h"
#include "sim/redis_server.h"

#include <algorithm>

namespace lockscope::sim {

using redis::Reply;

void RedisServer::becomes(RedisServer* master) {
    if (master == m_replication->master()) return;
    if (master) {
        m_replication->follow(*master);
        releaseWaits(Reply::error("UNBLOCKED force unblock from blocking operation, instance state changed (master -> "
                                  "replica?)"));
    } else {
        m_replication->lead();
    }
    armExpiry();
    if (onRole) onRole(*this);
}

void RedisServer::configure(RedisServer* master) {
    m_configured = master;
    becomes(master);
}

Reply RedisServer::replicaOf(const redis::Args& args) {
    if (args[1].compare("NO", Qt::CaseInsensitive) == 0 && args[2].compare("ONE", Qt::CaseInsensitive) == 0) {
        becomes(nullptr);
        return Reply::status("OK");
    }
    RedisServer* const master = m_finder ? m_finder(args[1], args[2].toInt()) : nullptr;
    if (!master || master == this) return Reply::error("ERR Invalid master port");
    if (master == m_replication->master()) return Reply::status("OK Already connected to specified master");
    becomes(master);
    return Reply::status("OK");
}

QByteArray RedisServer::info() const {
    return "# Server\r\nredis_version:7.0.15\r\nrun_id:" + m_runId + "\r\n" + m_replication->info();
}

void RedisServer::joinCluster(ClusterNode::Settings settings, std::uint64_t seed) {
    m_cluster = std::make_unique<ClusterNode>(*this, grounds(), settings, seed);
    m_engine.elsewhere = [this](SessionId session, bool writes, const redis::Args& keys) {
        if (session == m_inside) return QByteArray();
        return m_cluster->elsewhere(keys, m_asking.contains(session), m_readers.contains(session), writes);
    };
}

bool RedisServer::has(const QByteArray& key) {
    return m_engine.execute(m_inside, {"EXISTS", key}).integer == 1;
}

void RedisServer::feed(std::vector<RedisEngine::Effect> effects) {
    const auto isMessage = [](const RedisEngine::Effect& effect) { return effect.args.front() == "PUBLISH"; };
    const bool writes = keepsData() && !std::ranges::all_of(effects, isMessage);
    m_unwritten = m_unwritten || writes;
    if (!m_replication) return;
    // Replicas hear of it after the file has it, as clients do.
    if (writes && m_settings.persistence == Persistence::Always && diskStalls())
        return onDisk([this, effects = std::move(effects)] { feedReplicas(effects); });
    feedReplicas(std::move(effects));
}

void RedisServer::feedReplicas(std::vector<RedisEngine::Effect> effects) {
    if (m_cluster) {
        // In a cluster, messages reach the replicas over the nodes' own connections.
        std::erase_if(effects, [this](const RedisEngine::Effect& effect) {
            const bool message = effect.args.front() == "PUBLISH";
            if (message) m_cluster->spread(effect.args);
            return message;
        });
        if (effects.empty()) return;
    }
    m_replication->feed(std::move(effects));
}

std::optional<Reply> RedisServer::deployment(SessionId session, const QByteArray& command, const redis::Args& args) {
    if (m_cluster) {
        if (command == "ASKING") m_asking.insert(session);
        if (command == "READONLY") m_readers.insert(session);
        if (command == "READWRITE") m_readers.erase(session);
        if (command == "ASKING" || command.startsWith("READ")) return Reply::status("OK");
        if (command.startsWith("CLUSTER|")) return m_cluster->answer(command, args);
    }
    if (command == "ROLE") return m_replication->role();
    if (command == "INFO") return Reply::bulk(info());
    if (command == "REPLICAOF" || command == "SLAVEOF") return replicaOf(args);
    if (command == "WAIT") return Reply::number(m_replication->acknowledged(m_positions[session]));
    if (command == "CONFIG|REWRITE") {
        m_configured = m_replication->master();
        return Reply::status("OK");
    }
    if (command == "CLIENT|KILL") {
        // Only as Sentinels use it: TYPE normal and TYPE pubsub, which together are all clients.
        m_cutClients = true;
        return Reply::number(0);
    }
    return std::nullopt;
}

// --- WAIT ---

bool RedisServer::holdBack(SessionId session, const redis::Args& args, const Reply& reply, Answer& answer) {
    const bool waits = args[0].size() == 4 && args[0].compare("WAIT", Qt::CaseInsensitive) == 0;
    if (!waits) {
        m_positions[session] = m_replication->offset();
        return false;
    }
    if (reply.type != Reply::Type::Integer || m_engine.inTransaction(session)) return false;
    const int wanted = args[1].toInt();
    if (reply.integer >= wanted) return false;
    const std::int64_t timeoutMs = args[2].toLongLong();
    const std::int64_t until = timeoutMs > 0 ? clockUs() + timeoutMs * 1000 : 0;
    m_waits.push_back({session, m_positions[session], wanted, until, std::move(answer), ++m_lastWait});
    m_replication->requestAcks();
    armWaits();
    return true;
}

void RedisServer::armWaits() {
    // Its end is an instant of the wall clock, looked at once a turn: a jump of the clock can end it.
    const Waiting& wait = m_waits.back();
    if (wait.untilUs == 0) return;
    after(std::max(Nanos(0), instantOf(wait.untilUs) - now()), [this] { answerWaits(); });
}

void RedisServer::answerWaits() {
    std::vector<Waiting> over;
    const std::int64_t clock = clockUs();
    std::erase_if(m_waits, [&](Waiting& wait) {
        const bool enough = m_replication->acknowledged(wait.offset) >= wait.wanted;
        const bool late = wait.untilUs != 0 && clock >= wait.untilUs;
        if (late && !enough) reached(Probe::WaitTimedOut);
        if (enough || late) over.push_back(std::move(wait));
        return enough || late;
    });
    for (const Waiting& wait : over)
        wait.answer(Reply::number(m_replication->acknowledged(wait.offset)));
}

void RedisServer::releaseWaits(const Reply& reply) {
    if (!m_waits.empty()) reached(Probe::WaitUnblocked);
    for (const Waiting& wait : std::exchange(m_waits, {}))
        wait.answer(reply);
}

} // namespace lockscope::sim
