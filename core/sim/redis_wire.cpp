// SPDX-License-Identifier: Apache-2.0
#include "sim/redis_wire.h"

#include "ports/redis/command_text.h"
#include "runtime/completion.h"
#include "sim/redis_inbox.h"

namespace lockscope::sim {

using trace::EventKind;

/// Both connections and whatever is under way on them. Callbacks in the scheduler's queue hold it weakly: a client that
/// died hears nothing more.
struct RedisWire::Connections {
    VirtualScheduler& scheduler;
    Network& network;
    Network::Link& link;
    Node& node;
    trace::Recorder& recorder;
    trace::EntityId client, thread;
    Settings settings{};
    RedisEngine::SessionId commands = 0, subscriptions = 0; ///< 0 = not connected
    std::map<std::uint64_t, Completion<redis::Result>> pending;
    std::uint64_t lastExchange = 0;
    std::vector<Inbox*> inboxes;
    bool resubscribing = false;
    RedisWire* wire = nullptr;

    /// The dead process's machine resets the connections: known after a flight. Over a cut link nothing comes, so who
    /// waits for a reply runs into his time-out; the rest is known when one of the client's probes gets through.
    /// `last` is the last exchange that the connections have seen.
    void tellReset(const std::weak_ptr<Connections>& self, std::uint64_t last);
    void wasReset(std::uint64_t last);
};

namespace {

redis::Error broken(const Node& node, redis::Error::Kind kind, const char* what) {
    return {kind, {}, QStringLiteral("%1: %2").arg(QString::fromUtf8(node.id()), QLatin1String(what))};
}

redis::Result asResult(redis::Reply reply) {
    if (!reply.isError()) return reply;
    const qsizetype space = reply.text.indexOf(' ');
    return std::unexpected(
        redis::Error{redis::Error::Kind::Refused, reply.text.left(space), QString::fromUtf8(reply.text)});
}

} // namespace

void RedisWire::Connections::tellReset(const std::weak_ptr<Connections>& self, std::uint64_t last) {
    const std::optional<Nanos> known = network.reset(link);
    const Nanos next = known ? *known : laterBy(scheduler.now(), settings.reconnectPause);
    scheduler.at(next, [self, last, heard = known.has_value()] {
        const auto still = self.lock();
        if (!still || !still->wire) return;
        if (heard)
            still->wasReset(last);
        else
            still->tellReset(self, last);
    });
}

void RedisWire::Connections::wasReset(std::uint64_t last) {
    while (!pending.empty() && pending.begin()->first <= last) {
        const Completion<redis::Result> waiting = pending.extract(pending.begin()).mapped();
        waiting.complete(
            std::unexpected(broken(node, redis::Error::Kind::Disconnected, "connection reset: the server is gone")));
    }
    if (inboxes.empty() || resubscribing) return;
    resubscribing = true;
    wire->m_runtime.spawn([wire = wire] { return wire->resubscribe(); });
}

RedisWire::RedisWire(VirtualScheduler& scheduler, Network& network, Network::Link& link, Node& node, Runtime& runtime,
                     trace::Recorder& recorder, trace::EntityId client, trace::EntityId thread)
    : m_runtime(runtime),
      m_connections(std::make_shared<Connections>(
          Connections{scheduler, network, link, node, recorder, client, thread, {}, 0, 0, {}, 0, {}, false, this})) {
}

RedisWire::~RedisWire() {
    // The process's sockets close; the node sees that after a flight, unless the link is cut.
    const std::shared_ptr<Connections> c = std::exchange(m_connections, nullptr);
    c->wire = nullptr;
    for (const auto session : {c->commands, c->subscriptions}) {
        if (session == 0) continue;
        const auto arrival = c->network.transmit(c->link, Network::Direction::ToNode);
        if (arrival) c->scheduler.at(*arrival, [&node = c->node, session] { node.disconnect(session); });
    }
}

QCoro::Task<redis::Result> RedisWire::call(redis::Args args, std::stop_token stop) {
    return exchange(false, std::move(args), std::move(stop));
}

QCoro::Task<redis::Result> RedisWire::exchange(bool forSubscriptions, redis::Args args, std::stop_token stop) {
    if (!m_runtime.alive()) throw Cancelled(Cancelled::Why::Killed);
    const std::shared_ptr<Connections> c = m_connections;
    const std::weak_ptr<Connections> weak = c;
    const std::uint64_t number = ++c->lastExchange;
    const Completion<redis::Result> done;
    const std::uint32_t text = c->recorder.trace().text(redis::commandText(args));
    const Nanos timeout = c->settings.commandTimeout;

    const std::optional<Nanos> arrival = c->network.transmit(c->link, Network::Direction::ToNode);
    c->recorder.emit(EventKind::Request, c->client, c->node.entity(),
                     arrival ? (*arrival - c->scheduler.now()).count() : -1, text);
    if (arrival) {
        c->pending.emplace(number, done);
        RedisEngine::SessionId& session = forSubscriptions ? c->subscriptions : c->commands;
        if (session == 0 && c->node.life() != Node::Life::Dead) {
            session = c->node.connect(
                c->thread,
                [weak](const RedisEngine::Push& push) {
                    const auto alive = weak.lock();
                    if (alive && alive->wire)
                        Inbox::carry(alive->scheduler, alive->network, alive->link, alive->recorder,
                                     alive->node.entity(), alive->client, alive->inboxes, push, weak);
                },
                [weak] {
                    const auto alive = weak.lock();
                    if (!alive) return;
                    alive->commands = alive->subscriptions = 0;
                    alive->tellReset(weak, alive->lastExchange);
                });
        }
        c->scheduler.at(*arrival, [weak, &node = c->node, &network = c->network, &link = c->link,
                                   &scheduler = c->scheduler, &recorder = c->recorder, client = c->client, id = session,
                                   args, number, text] {
            const auto back = [weak, &node, &network, &link, &scheduler, &recorder, client, number,
                               text](redis::Result result) {
                const auto landing = network.transmit(link, Network::Direction::ToClient, true);
                recorder.emit(EventKind::Reply, node.entity(), client,
                              landing ? (*landing - scheduler.now()).count() : -1, text);
                if (!landing) return;
                scheduler.at(*landing, [weak, number, result = std::move(result)] {
                    const auto alive = weak.lock();
                    if (!alive) return;
                    const auto waiting = alive->pending.find(number);
                    if (waiting == alive->pending.end()) return; // timed out meanwhile: its reply is dropped
                    const Completion<redis::Result> completion = waiting->second;
                    alive->pending.erase(waiting);
                    completion.complete(result);
                });
            };
            const bool there = node.deliver(id, args, [back](redis::Reply reply) { back(asResult(std::move(reply))); });
            if (!there) back(std::unexpected(broken(node, redis::Error::Kind::Unreachable, "connection refused")));
        });
    }
    const std::optional<redis::Result> result = co_await done.wait(m_runtime, timeout, std::move(stop));
    if (result) co_return *result;
    c->pending.erase(number);
    co_return std::unexpected(broken(c->node, redis::Error::Kind::CommandTimeout, "no reply in time"));
}

QCoro::Task<std::expected<redis::OwnedSubscription, redis::Error>> RedisWire::subscribe(QByteArray channel,
                                                                                        std::stop_token stop) {
    // In the list before the request goes out: a message may follow the confirmation in the same instant.
    auto inbox = std::make_unique<Inbox>(m_runtime, channel, [this](Inbox* gone) { unsubscribe(gone); });
    m_connections->inboxes.push_back(inbox.get());
    const redis::Result reply = co_await exchange(true, redis::argsOf("SUBSCRIBE", channel), std::move(stop));
    if (!reply) co_return std::unexpected(reply.error());
    co_return redis::OwnedSubscription(std::move(inbox));
}

void RedisWire::unsubscribe(Inbox* inbox) {
    if (!m_connections) return;
    const std::shared_ptr<Connections> c = m_connections;
    std::erase(c->inboxes, inbox);
    const bool shared =
        std::ranges::any_of(c->inboxes, [&](Inbox* other) { return other->channel() == inbox->channel(); });
    if (shared || !m_runtime.alive() || c->subscriptions == 0) return;
    m_runtime.spawn([this, channel = inbox->channel()]() -> QCoro::Task<> {
        co_await exchange(true, redis::argsOf("UNSUBSCRIBE", channel), {});
    });
}

QCoro::Task<> RedisWire::resubscribe() {
    const std::shared_ptr<Connections> c = m_connections;
    while (!c->inboxes.empty()) {
        std::set<QByteArray> channels;
        for (const Inbox* inbox : c->inboxes)
            channels.insert(inbox->channel());
        bool all = true;
        for (const QByteArray& channel : channels) {
            const redis::Result reply = co_await exchange(true, redis::argsOf("SUBSCRIBE", channel), {});
            all = all && reply.has_value();
        }
        if (all) {
            for (Inbox* inbox : c->inboxes)
                inbox->put({{}, true});
            break;
        }
        co_await m_runtime.sleep(c->settings.reconnectPause);
    }
    c->resubscribing = false;
}

} // namespace lockscope::sim
