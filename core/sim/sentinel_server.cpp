// SPDX-License-Identifier: Apache-2.0
// A Sentinel's life, and what it answers.
#include "sim/sentinel_server.h"

#include "sim/probe.h"
#include "sim/redis/command.h"
#include "sim/seeds.h"

#include <algorithm>
#include <set>

namespace lockscope::sim {

using redis::Reply;

namespace {

QByteArray makeRunId(std::uint64_t seed) {
    QByteArray id;
    for (std::uint64_t part = 0; id.size() < 40; ++part)
        id += QByteArray::number(qulonglong(mixSeed(seed, part)), 16).rightJustified(16, '0');
    return id.left(40);
}

Reply texts(std::initializer_list<QByteArray> words) {
    std::vector<Reply> items;
    for (const QByteArray& word : words)
        items.push_back(Reply::bulk(word));
    return Reply::array(std::move(items));
}

} // namespace

SentinelServer::SentinelServer(Grounds grounds, const QByteArray& id, std::uint64_t seed, Settings settings)
    : RespServer(grounds, id, seed),
      m_settings(std::move(settings)),
      m_random(seed),
      m_runId(makeRunId(seed)),
      m_inside(m_engine.connect()),
      m_failoverStart(-2 * m_settings.failoverTimeout) {
    grounds.recorder.emit(trace::EventKind::NodeStarted, entity());
}

SentinelServer::~SentinelServer() = default;

SentinelServer::InstancePtr SentinelServer::make(RespServer& server, bool sentinel) const {
    auto instance = std::make_shared<Instance>();
    instance->server = &server;
    instance->sentinel = sentinel;
    const Nanos time = now();
    instance->pingedSince = time; // as long as nothing was heard it counts as asked
    instance->pongAt = instance->availableAt = instance->roleSince = instance->confSince = time;
    instance->triedAt = time - 1s;
    return instance;
}

void SentinelServer::watch(const std::vector<RedisServer*>& group, const std::vector<SentinelServer*>& sentinels) {
    m_master = make(*group.front(), false);
    for (std::size_t i = 1; i < group.size(); ++i) {
        m_replicas.push_back(make(*group[i], false));
        m_replicas.back()->role = Role::Replica;
        m_replicas.back()->follows = group.front()->id();
    }
    for (SentinelServer* const other : sentinels)
        if (other != this) m_peers.push_back(make(*other, true));
    after(randomUpTo(100ms), [this] { tick(); });
}

void SentinelServer::died(Death death) {
    const auto forget = [this](const InstancePtr& instance) { disconnect(*instance); };
    forget(m_master);
    std::ranges::for_each(m_replicas, forget);
    std::ranges::for_each(m_peers, forget);
    m_engine.clear();
    RespServer::died(death);
}

void SentinelServer::booted(Disk) {
    // Addresses, epochs and the vote come from its file; what it saw is gone.
    const auto anew = [this](InstancePtr& instance) {
        const Role role = instance->role;
        const QByteArray follows = instance->follows;
        instance = make(*instance->server, instance->sentinel);
        instance->role = role;
        instance->follows = follows;
    };
    m_state = State::None;
    m_promoted.reset();
    m_forced = false;
    m_tickedUs.reset();
    m_tilt.reset();
    anew(m_master);
    std::ranges::for_each(m_replicas, anew);
    std::ranges::for_each(m_peers, anew);
    after(randomUpTo(100ms), [this] { tick(); });
}

Nanos SentinelServer::randomUpTo(Nanos limit) {
    return Nanos(std::int64_t(m_random() % std::uint64_t(limit.count())));
}

RedisServer& SentinelServer::redisOf(const Instance& instance) {
    Q_ASSERT(!instance.sentinel);
    return static_cast<RedisServer&>(*instance.server);
}

// --- what it tells ---

QByteArray SentinelServer::addressOf(const RespServer& server, int port) const {
    return server.id() + ' ' + QByteArray::number(port);
}

QByteArray SentinelServer::nameOf(const Instance& instance) const {
    const QByteArray master = m_settings.masterName + ' ' + addressOf(*m_master->server, RedisServer::kPort);
    if (&instance == m_master.get()) return "master " + master;
    const RespServer& server = *instance.server;
    if (instance.sentinel) {
        const auto& peer = static_cast<const SentinelServer&>(server);
        return "sentinel " + peer.runId() + ' ' + addressOf(server, kPort) + " @ " + master;
    }
    return "slave " + server.id() + ':' + QByteArray::number(RedisServer::kPort) + ' ' +
           addressOf(server, RedisServer::kPort) + " @ " + master;
}

void SentinelServer::tell(const char* event, const QByteArray& payload) {
    m_engine.execute(m_inside, {"PUBLISH", event, payload});
    if (onEvent) onEvent(*this, event, payload);
}

void SentinelServer::tell(const char* event, const Instance& instance, const QByteArray& more) {
    tell(event, nameOf(instance) + more);
    writeEvent(event, instance);
}

// --- what it answers ---

std::optional<Reply> SentinelServer::failOver() {
    if (life() != Life::Running) return std::nullopt;
    return sentinel({"SENTINEL", "FAILOVER", m_settings.masterName});
}

RedisServer& SentinelServer::currentMaster() const {
    const bool promoted = m_state == State::ReconfSlaves || m_state == State::UpdateConfig;
    return redisOf(promoted ? *m_promoted : *m_master);
}

void SentinelServer::serve(SessionId session, const redis::Args& args, Answer answer) {
    const QByteArray name = args.front().toUpper();
    const redisd::Command* const command = redisd::findCommand(args);
    static const std::set<QByteArray> kKnown{"PING",       "HELLO",       "AUTH",         "CLIENT", "SUBSCRIBE",
                                             "PSUBSCRIBE", "UNSUBSCRIBE", "PUNSUBSCRIBE", "QUIT",   "RESET"};
    if (kKnown.contains(name))
        answer(m_engine.execute(session, args));
    else if (name == "SENTINEL" && args.size() > 1 && !m_engine.isSubscribed(session))
        answer(sentinel(args));
    else if (name == "ROLE")
        answer(Reply::array({Reply::bulk("sentinel"), texts({m_settings.masterName})}));
    else if (name == "INFO")
        answer(Reply::bulk("# Sentinel\r\nsentinel_masters:1\r\n"));
    else if (name == "PUBLISH" && command)
        answer(Reply::error("ERR Only HELLO messages are accepted by Sentinel instances."));
    else
        answer(Reply::error(redisd::oneLine(redisd::unknownCommand(args))));
}

Reply SentinelServer::sentinel(const redis::Args& args) {
    const QByteArray sub = args[1].toUpper();
    const bool known = args.size() > 2 && args[2] == m_settings.masterName;
    if (sub == "GET-MASTER-ADDR-BY-NAME" && args.size() == 3) {
        if (!known) return Reply::nil();
        return texts({currentMaster().id(), QByteArray::number(RedisServer::kPort)});
    }
    if (sub == "IS-MASTER-DOWN-BY-ADDR" && args.size() == 6) return isMasterDown(args);
    if (sub == "MYID") return Reply::bulk(m_runId);
    const auto list = [this](const std::vector<InstancePtr>& instances) {
        std::vector<Reply> all;
        for (const InstancePtr& instance : instances)
            all.push_back(details(*instance));
        return Reply::array(std::move(all));
    };
    if (sub == "MASTERS" && args.size() == 2) return list({m_master});
    if (args.size() != 3) {
        return Reply::error("ERR Unknown sentinel subcommand '" + args[1] + "'");
    }
    if (!known) return Reply::error("ERR No such master with that name");
    if (sub == "MASTER") return details(*m_master);
    if (sub == "REPLICAS" || sub == "SLAVES") return list(m_replicas);
    if (sub == "SENTINELS") return list(m_peers);
    if (sub == "FAILOVER") {
        if (failingOver()) return Reply::error("INPROG Failover already in progress");
        if (!selectReplica()) return Reply::error("NOGOODSLAVE No suitable replica to promote");
        beginFailover();
        m_forced = true;
        return Reply::status("OK");
    }
    return Reply::error("ERR Unknown sentinel subcommand '" + args[1] + "'");
}

Reply SentinelServer::isMasterDown(const redis::Args& args) {
    const bool ours = args[2] == m_master->server->id();
    const bool down = !m_tilt && ours && m_master->down;
    std::pair<QByteArray, std::int64_t> voted{"*", 0};
    if (ours && args[5] != "*") voted = vote(args[4].toLongLong(), args[5]);
    return Reply::array({Reply::number(down ? 1 : 0), Reply::bulk(voted.first.isEmpty() ? "*" : voted.first),
                         Reply::number(voted.second)});
}

Reply SentinelServer::details(const Instance& instance) const {
    const bool master = &instance == m_master.get();
    QByteArray flags = instance.sentinel ? "sentinel" : master ? "master" : "slave";
    if (instance.agreedDown) flags.prepend("o_down,");
    if (instance.down) flags.prepend("s_down,");
    if (!instance.link) flags += ",disconnected";
    if (master && failingOver()) flags += ",failover_in_progress";
    const auto number = [](std::int64_t n) { return QByteArray::number(qlonglong(n)); };
    const QByteArray runId =
        instance.sentinel ? static_cast<const SentinelServer&>(*instance.server).runId() : redisOf(instance).runId();
    std::vector<Reply> items =
        texts({"name", master ? m_settings.masterName : instance.server->id(), "ip", instance.server->id(), "port",
               number(instance.sentinel ? kPort : RedisServer::kPort), "runid", runId, "flags", flags})
            .items;
    const auto add = [&items](const char* field, const QByteArray& value) {
        items.push_back(Reply::bulk(field));
        items.push_back(Reply::bulk(value));
    };
    if (master) {
        if (&currentMaster() != m_master->server) reached(Probe::NewerEpochOldBody);
        add("config-epoch", number(m_configEpoch));
        add("num-slaves", number(std::int64_t(m_replicas.size())));
        add("num-other-sentinels", number(std::int64_t(m_peers.size())));
        add("quorum", number(m_settings.quorum));
    } else if (!instance.sentinel) {
        add("master-link-status", instance.linkUp ? "ok" : "err");
        add("master-host", instance.follows);
        add("slave-priority", number(instance.priority));
        add("slave-repl-offset", number(instance.offset));
    }
    return Reply::array(std::move(items));
}

} // namespace lockscope::sim
