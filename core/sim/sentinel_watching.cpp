// SPDX-License-Identifier: Apache-2.0
// A Sentinel's watching half: connections, PING, INFO, hellos, and who is down. Names as in sentinel.c.
#include "sim/probe.h"
#include "sim/sentinel_server.h"

namespace lockscope::sim {

namespace {

constexpr Nanos kPingPeriod = 1s, kInfoPeriod = 10s, kFastInfoPeriod = 1s, kHelloPeriod = 2s, kReconnectPeriod = 1s;
constexpr Nanos kLinkLife = 15s; ///< SENTINEL_MIN_LINK_RECONNECT_PERIOD
constexpr Nanos kTiltTrigger = 2s, kTiltPeriod = 30s;
constexpr int kLowHz = 10, kHighHz = 19;

/// The value of a line of INFO.
QByteArray lineOf(const QByteArray& info, const char* name) {
    const QByteArray start = QByteArray("\r\n") + name + ':';
    const qsizetype at = info.indexOf(start);
    if (at < 0) return {};
    const qsizetype from = at + start.size();
    return info.mid(from, info.indexOf('\r', from) - from);
}

} // namespace

void SentinelServer::tick() {
    const int hz = kLowHz + int(m_random() % (kHighHz - kLowHz + 1));
    after(std::chrono::duration_cast<Nanos>(1s) / hz, [this] { tick(); });
    const bool tilt = tilted();
    std::vector<InstancePtr> all{m_master};
    all.insert(all.end(), m_replicas.begin(), m_replicas.end());
    all.insert(all.end(), m_peers.begin(), m_peers.end());
    for (const InstancePtr& instance : all) {
        handle(instance);
        if (tilt) continue;
        checkDown(instance);
        if (instance != m_master) continue;
        checkAgreedDown();
        if (startIfNeeded()) askPeers(true);
        step();
        askPeers(false);
    }
    if (m_state == State::UpdateConfig) switchTo(redisOf(*m_promoted));
}

bool SentinelServer::tilted() {
    const std::int64_t clock = clockUs();
    const auto passed = std::chrono::microseconds(clock - m_tickedUs.value_or(clock));
    m_tickedUs = clock;
    if (passed < Nanos(0) || passed > kTiltTrigger) {
        m_tilt = now();
        tell("+tilt", "#tilt mode entered");
        reached(Probe::Tilted);
    }
    if (m_tilt && now() - *m_tilt >= kTiltPeriod) {
        m_tilt.reset();
        tell("-tilt", "#tilt mode exited");
    }
    return m_tilt.has_value();
}

void SentinelServer::handle(const InstancePtr& instance) {
    reconnect(instance);
    sendPeriodic(instance);
}

void SentinelServer::disconnect(Instance& instance) {
    instance.link.reset();
    instance.infoAsked = false;
}

void SentinelServer::reconnect(const InstancePtr& instance) {
    if (instance->link || now() - instance->triedAt < kReconnectPeriod) return;
    instance->triedAt = instance->connectedAt = now();
    Network::Link& link = grounds().network.between(entity(), instance->server->entity());
    RespConnection::Handlers handlers;
    handlers.ended = [this, weak = std::weak_ptr(instance)] {
        arrive([this, weak] {
            if (const InstancePtr alive = weak.lock()) disconnect(*alive);
        });
    };
    instance->link = std::make_unique<RespConnection>(grounds(), link, entity(), *instance->server,
                                                      RespServer::ClientEnd{trace::kNoEntity, nullptr, nullptr, true},
                                                      kReconnectPeriod, std::move(handlers));
    ping(instance);
}

void SentinelServer::send(const InstancePtr& instance, redis::Args args,
                          std::function<void(const redis::Reply&)> done) {
    if (!instance->link) return;
    instance->link->send(0, std::move(args),
                         [this, weak = std::weak_ptr(instance), done = std::move(done)](RespConnection::Result result) {
                             arrive([this, weak, done, result = std::move(result)] {
                                 const InstancePtr alive = weak.lock();
                                 if (!alive) return;
                                 if (result)
                                     done(*result);
                                 else if (alive->link)
                                     disconnect(*alive);
                             });
                         });
}

void SentinelServer::sendPeriodic(const InstancePtr& instance) {
    if (!instance->link) return;
    const Nanos time = now();
    if (!instance->sentinel) {
        const bool urgent = instance != m_master && (m_master->agreedDown || failingOver() || !instance->linkUp);
        const Nanos period = urgent ? kFastInfoPeriod : kInfoPeriod;
        // sentinelSendPeriodicCommands asks at each tick until there is an answer. Once a second is often enough here:
        // only what was asked over a cut link before it was mended is never answered.
        const bool waits = instance->infoAsked && time - instance->infoAskedAt <= kFastInfoPeriod;
        if (!waits && (!instance->infoAt || time - *instance->infoAt > period)) {
            instance->infoAsked = true;
            instance->infoAskedAt = time;
            send(instance, {"INFO"}, [this, weak = std::weak_ptr(instance)](const redis::Reply& reply) {
                if (const InstancePtr alive = weak.lock()) onInfo(alive, reply.text);
            });
        }
    }
    const Nanos pingPeriod = std::min(m_settings.downAfter, kPingPeriod);
    if (time - instance->pongAt > pingPeriod && time - instance->pingedAt > pingPeriod / 2) ping(instance);
    if (!instance->sentinel && time - instance->helloAt > kHelloPeriod) hello(instance);
}

void SentinelServer::ping(const InstancePtr& instance) {
    instance->pingedAt = now();
    if (!instance->pingedSince) instance->pingedSince = now();
    send(instance, {"PING"}, [this, weak = std::weak_ptr(instance)](const redis::Reply& reply) {
        if (const InstancePtr alive = weak.lock()) onPong(*alive, reply);
    });
}

void SentinelServer::onPong(Instance& instance, const redis::Reply& reply) {
    instance.pongAt = now();
    const bool alive = reply.text == "PONG" || reply.text.startsWith("LOADING") || reply.text.startsWith("MASTERDOWN");
    if (!alive) return;
    instance.availableAt = now();
    instance.pingedSince.reset();
}

// --- hellos: over each server, to all other Sentinels ---

void SentinelServer::hello(const InstancePtr& instance) {
    instance->helloAt = now();
    Network& network = grounds().network;
    VirtualScheduler& scheduler = grounds().scheduler;
    Network::Link& there = network.between(entity(), instance->server->entity());
    const auto arrival = network.carry(there, there.wayFrom(entity()));
    if (!arrival) return;
    std::vector<SentinelServer*> peers;
    for (const InstancePtr& peer : m_peers)
        peers.push_back(static_cast<SentinelServer*>(peer->server));
    scheduler.at(*arrival, [&network, &scheduler, over = instance->server, from = this, peers, epoch = m_epoch,
                            configEpoch = m_configEpoch, master = &currentMaster()] {
        over->arrive([&network, &scheduler, over, from, peers, epoch, configEpoch, master] {
            for (SentinelServer* const peer : peers) {
                Network::Link& on = network.between(over->entity(), peer->entity());
                const auto landing = network.carry(on, on.wayFrom(over->entity()));
                if (!landing) continue;
                scheduler.at(*landing, [peer, from, epoch, configEpoch, master] {
                    peer->arrive(
                        [peer, from, epoch, configEpoch, master] { peer->hear(*from, epoch, configEpoch, *master); });
                });
            }
        });
    });
}

void SentinelServer::hear(const SentinelServer& peer, std::int64_t epoch, std::int64_t configEpoch,
                          RedisServer& master) {
    if (epoch > m_epoch) {
        m_epoch = epoch;
        tell("+new-epoch", QByteArray::number(qlonglong(epoch)));
    }
    if (configEpoch <= m_configEpoch) return;
    m_configEpoch = configEpoch;
    if (&master == m_master->server) return;
    tell("+config-update-from", "sentinel " + peer.runId() + ' ' + peer.id() + ' ' + QByteArray::number(kPort) + " @ " +
                                    m_settings.masterName + ' ' + addressOf(*m_master->server, RedisServer::kPort));
    switchTo(master);
}

// --- what INFO says ---

void SentinelServer::onInfo(const InstancePtr& instance, const QByteArray& info) {
    instance->infoAsked = false;
    instance->infoAt = now();
    const Role role = lineOf(info, "role") == "master" ? Role::Master : Role::Replica;
    const QByteArray follows = lineOf(info, "master_host");
    if (follows != instance->follows && role == Role::Replica) {
        instance->follows = follows;
        instance->confSince = now();
    }
    instance->linkUp = role == Role::Master || lineOf(info, "master_link_status") == "up";
    instance->linkDownFor = std::chrono::seconds(lineOf(info, "master_link_down_since_seconds").toLongLong());
    if (role == Role::Replica) {
        instance->offset = lineOf(info, "slave_repl_offset").toLongLong();
        instance->priority = lineOf(info, "slave_priority").toInt();
    }
    if (role != instance->role) {
        instance->role = role;
        instance->roleSince = now();
        if (role == Role::Replica) instance->confSince = now();
        const bool expected = (role == Role::Master) == (instance == m_master);
        tell(expected ? "+role-change" : "-role-change", *instance,
             QByteArray(" new reported role is ") + (role == Role::Master ? "master" : "slave"));
    }
    if (!m_tilt) actOnInfo(instance);
}

void SentinelServer::actOnInfo(const InstancePtr& instance) {
    if (instance == m_master) return;
    const Nanos patience = kHelloPeriod * 4;
    if (instance->role == Role::Master) {
        if (instance == m_promoted && m_state == State::WaitPromotion) {
            m_configEpoch = m_failoverEpoch;
            tell("+promoted-slave", *instance);
            setState(State::ReconfSlaves);
            tell("+failover-state-reconf-slaves", *m_master);
            for (const InstancePtr& other : m_replicas)
                other->helloAt = -kHelloPeriod;
            m_master->helloAt = -kHelloPeriod;
        } else if (instance != m_promoted && masterLooksSane() && notDownFor(*instance, patience) &&
                   now() - instance->roleSince > patience) {
            sendSlaveOf(instance, &redisOf(*m_master));
            tell("+convert-to-slave", *instance);
            reached(Probe::StaleMasterDemoted);
        }
        return;
    }
    const QByteArray right = m_master->server->id();
    if (instance->follows != right && masterLooksSane() && notDownFor(*instance, m_settings.failoverTimeout) &&
        now() - instance->confSince > m_settings.failoverTimeout && !failingOver()) {
        sendSlaveOf(instance, &redisOf(*m_master));
        tell("+fix-slave-config", *instance);
        reached(Probe::StrayReplica);
    }
    if (instance->reconf == Reconf::Sent && m_promoted && instance->follows == m_promoted->server->id()) {
        instance->reconf = Reconf::InProgress;
        tell("+slave-reconf-inprog", *instance);
    }
    if (instance->reconf == Reconf::InProgress && instance->linkUp) {
        instance->reconf = Reconf::Done;
        tell("+slave-reconf-done", *instance);
    }
}

// --- who is down ---

void SentinelServer::checkDown(const InstancePtr& instance) {
    const Nanos time = now();
    Nanos silent{};
    if (instance->pingedSince)
        silent = time - *instance->pingedSince;
    else if (!instance->link)
        silent = time - instance->availableAt;
    const Nanos half = m_settings.downAfter / 2;
    if (instance->link && time - instance->connectedAt > kLinkLife && instance->pingedSince && silent > half &&
        time - instance->pongAt > half)
        disconnect(*instance); // it may be the connection alone
    const bool disowned = instance == m_master && instance->role == Role::Replica &&
                          time - instance->roleSince > m_settings.downAfter + 2 * kInfoPeriod;
    const bool down = silent > m_settings.downAfter || disowned;
    if (down == instance->down) return;
    instance->down = down;
    if (down) instance->downSince = time;
    tell(down ? "+sdown" : "-sdown", *instance);
}

void SentinelServer::checkAgreedDown() {
    int agree = m_master->down ? 1 : 0;
    for (const InstancePtr& peer : m_peers)
        agree += m_master->down && peer->saysDown ? 1 : 0;
    const bool down = agree >= m_settings.quorum;
    if (down == m_master->agreedDown) return;
    m_master->agreedDown = down;
    if (!down) {
        tell("-odown", *m_master);
        return;
    }
    tell("+odown", *m_master, " #quorum " + QByteArray::number(agree) + '/' + QByteArray::number(m_settings.quorum));
    writeAgreed(agree);
}

} // namespace lockscope::sim
