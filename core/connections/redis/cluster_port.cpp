// SPDX-License-Identifier: Apache-2.0
#include "connections/redis/cluster_port.h"

#include "connections/redis/topology_errors.h"
#include "ports/redis/errors.h"

#include <QCoreApplication>

namespace lockscope::redis {

namespace {

constexpr Nanos kBetweenTries = 25ms;
constexpr int kAnySlot = -1;

using NodePtr = ClusterWatch::NodePtr;

/// One command on its way through the cluster.
class Routing {
public:
    Routing(std::shared_ptr<ClusterWatch> watch, int slot)
        : m_watch(std::move(watch)),
          m_slot(slot),
          m_begun(m_watch->runtime().monotonic()),
          m_until(m_begun + m_watch->options().commandTimeout) {}

    bool inTime() const { return m_watch->runtime().monotonic() < m_until; }
    Nanos left() const { return std::max(Nanos(0), m_until - m_watch->runtime().monotonic()); }
    Nanos taken() const { return m_watch->runtime().monotonic() - m_begun; }

    /// Where it goes now; null while nobody is known.
    NodePtr target() const {
        if (m_asked) return m_asked;
        return m_slot == kAnySlot ? m_watch->anyNode() : m_watch->ownerOf(m_slot);
    }
    bool asking() const { return m_asked != nullptr; }

    enum class Next : std::uint8_t { Done, AtOnce, AfterAWhile };
    /// Decides after an error: give up, or try again. `from`: the node that answered with it.
    Next onError(const Error& error, const NodePtr& from) {
        m_asked.reset();
        using Kind = Error::Kind;
        if (error.outcomeUnknown()) {
            m_watch->refreshSoon();
            return Next::Done;
        }
        if (error.kind == Kind::Unreachable || error.kind == Kind::ConnectTimeout) {
            m_watch->refreshSoon();
            return Next::AfterAWhile;
        }
        if (error.kind != Kind::Refused) return Next::Done;
        if (const auto to = redirectionOf(error.code, error.message)) {
            const Endpoint where{to->host.isEmpty() ? from->at.host : to->host, to->port};
            if (error.code == "ASK")
                m_asked = m_watch->nodeAt(where);
            else
                m_watch->moved(to->slot, where);
            return ++m_redirections % kRedirectionsInARow ? Next::AtOnce : Next::AfterAWhile;
        }
        if (error.code == "TRYAGAIN") return Next::AfterAWhile;
        if (error.code != "CLUSTERDOWN" && error.code != "READONLY" && error.code != "LOADING" &&
            error.code != "MASTERDOWN")
            return Next::Done;
        from->doubted = true;
        m_watch->refreshSoon();
        return Next::AfterAWhile;
    }
    /// The error of one that is given up.
    Error givenUp(const Error& last) const {
        if (last.kind != Error::Kind::Refused) return last;
        if (last.code != "MOVED" && last.code != "ASK") return errors::clusterDown(m_slot, taken(), last.message);
        Error inCircles = last;
        inCircles.code.clear(); // callers take these codes for a client that does not know of the cluster
        return inCircles;
    }

private:
    static constexpr int kRedirectionsInARow = 5; ///< after so many, nodes may redirect in circles: pause
    std::shared_ptr<ClusterWatch> m_watch;
    int m_slot;
    Nanos m_begun, m_until;
    NodePtr m_asked; ///< for the next try only: ASK
    int m_redirections = 0;
};

QCoro::Task<Result> sendTo(NodePtr node, bool asking, Args args, std::stop_token stop) {
    if (!asking) co_return co_await node->driver->call(std::move(args), std::move(stop));
    // ASKING holds for the next command on its connection. Calls of one turn are sent together, so none comes between.
    auto leave = node->driver->call(argsOf("ASKING"), stop);
    auto answer = node->driver->call(std::move(args), stop);
    co_await std::move(leave);
    co_return co_await std::move(answer);
}

/// The slot of a command's keys; an error when they are in several.
std::expected<int, Error> slotOf(const Args& args, int slotWithoutKey) {
    const std::vector<QByteArray> keys = keysOf(args);
    if (keys.empty()) return slotWithoutKey;
    const int slot = keySlot(keys.front());
    if (std::ranges::any_of(keys, [slot](const QByteArray& key) { return keySlot(key) != slot; }))
        return std::unexpected(errors::crossSlot(args.front()));
    return slot;
}

QCoro::Task<Result> route(std::shared_ptr<ClusterWatch> watch, Args args, int slotWithoutKey, std::stop_token stop) {
    Runtime& runtime = watch->runtime();
    const std::expected<int, Error> slot = slotOf(args, slotWithoutKey);
    if (!slot) co_return std::unexpected(slot.error());
    Routing routing(watch, *slot);
    for (;;) {
        const NodePtr node = routing.target();
        if (!node || !node->driver) {
            const bool known = co_await watch->waitForMap(routing.left(), stop);
            if (!known || !routing.inTime()) co_return std::unexpected(watch->trouble(*slot, routing.taken()));
            continue;
        }
        Result result = co_await sendTo(node, routing.asking(), args, stop);
        // A command without keys proves nothing: nodes that serve no slot answer it, too.
        if (result && node->doubted && !keysOf(args).empty()) node->doubted = false;
        if (result || watch->closed()) co_return result;
        const Routing::Next next = routing.onError(result.error(), node);
        if (next == Routing::Next::Done) co_return result;
        if (!routing.inTime()) co_return std::unexpected(routing.givenUp(result.error()));
        // The cluster is changing. No message tells when that is over, and asking without a pause would load it.
        if (next == Routing::Next::AfterAWhile) co_await runtime.sleep(kBetweenTries, stop);
    }
}

/// Sends a command over one connection, whichever node has the keys by now.
QCoro::Task<Result> sendOver(std::shared_ptr<ClusterWatch> watch, std::uint32_t connection, Args args,
                             std::stop_token stop) {
    const NodePtr node = watch->nodeOver(connection);
    if (!node) {
        co_return std::unexpected(
            errors::connectionGone(args.front(), QCoreApplication::translate("RedisError", "the cluster")));
    }
    co_return co_await node->driver->callOver(connection, std::move(args), std::move(stop));
}

/// route() for evalOver().
Ask routed(std::shared_ptr<ClusterWatch> watch, int slotWithoutKey) {
    return [watch = std::move(watch), slotWithoutKey](Args args, std::stop_token stop) {
        return route(watch, std::move(args), slotWithoutKey, std::move(stop));
    };
}

/// A key that is never there, in the slot of another one.
QByteArray neverThere(const QByteArray& key) {
    return "lockscope_never:" + (key.contains('{') ? key : '{' + key + '}');
}

/// While a slot moves, some of its keys are on the old node and some on the new one. A script that looks at keys which
/// it has not named is then stopped in the middle, or does not see them. So such a script names one key more that is
/// never there: with several keys of which one is missing, nodes answer TRYAGAIN for as long as the slot moves.
QCoro::Task<Result> evalRouted(std::shared_ptr<ClusterWatch> watch, int slotWithoutKey, const Script& script, Args keys,
                               Args args, std::stop_token stop) {
    if (script.sees() == Script::Sees::WholeSlot && !keys.empty()) keys.push_back(neverThere(keys.front()));
    return evalOver(routed(std::move(watch), slotWithoutKey), script.inCluster(), std::move(keys), std::move(args),
                    std::move(stop));
}

/// See ClusterPort::portFor.
class SlotPort final : public WatchedPort<ClusterWatch> {
public:
    SlotPort(std::shared_ptr<ClusterWatch> watch, int slot) : WatchedPort(std::move(watch)), m_slot(slot) {}
    QCoro::Task<Result> call(Args args, std::stop_token stop) override {
        return route(m_watch, std::move(args), m_slot, std::move(stop));
    }
    QCoro::Task<Result> callOver(std::uint32_t connection, Args args, std::stop_token stop) override {
        if (connection == 0) return call(std::move(args), std::move(stop));
        return sendOver(m_watch, connection, std::move(args), std::move(stop));
    }
    QCoro::Task<Result> eval(const Script& script, Args keys, Args args, std::stop_token stop) override {
        return evalRouted(m_watch, m_slot, script, std::move(keys), std::move(args), std::move(stop));
    }

private:
    int m_slot;
};

} // namespace

ClusterPort::ClusterPort(Runtime& runtime, Dialler dial, const ConnectionUrl& url, DriverOptions options)
    : WatchedPort(std::make_shared<ClusterWatch>(runtime, std::move(dial), url, std::move(options))) {
    m_watch->start();
}

ClusterPort::~ClusterPort() {
    m_watch->close();
}

QCoro::Task<Result> ClusterPort::call(Args args, std::stop_token stop) {
    return route(m_watch, std::move(args), kAnySlot, std::move(stop));
}

QCoro::Task<Result> ClusterPort::callOver(std::uint32_t connection, Args args, std::stop_token stop) {
    if (connection == 0) return call(std::move(args), std::move(stop));
    return sendOver(m_watch, connection, std::move(args), std::move(stop));
}

QCoro::Task<Result> ClusterPort::eval(const Script& script, Args keys, Args args, std::stop_token stop) {
    return evalRouted(m_watch, kAnySlot, script, std::move(keys), std::move(args), std::move(stop));
}

QCoro::Task<std::expected<void, Error>> ClusterPort::open(std::stop_token stop) {
    const std::shared_ptr<ClusterWatch> watch = m_watch;
    Runtime& runtime = watch->runtime();
    const Nanos begun = runtime.monotonic();
    const Nanos limit = watch->options().searchTimeout.value_or(watch->options().commandTimeout);
    while (!watch->hasMap()) {
        const Nanos left = limit - (runtime.monotonic() - begun);
        const bool known = co_await watch->waitForMap(std::max(Nanos(0), left), stop);
        if (!known && (watch->closed() || left <= Nanos(0) || watch->hopeless()))
            co_return std::unexpected(watch->trouble(0, runtime.monotonic() - begun));
    }
    co_return std::expected<void, Error>();
}

std::unique_ptr<Port> ClusterPort::portFor(const QByteArray& key) {
    return std::make_unique<SlotPort>(m_watch, keySlot(key));
}

std::optional<Endpoint> ClusterPort::ownerOf(const QByteArray& key) const {
    const NodePtr node = m_watch->ownerOf(keySlot(key));
    if (!node) return std::nullopt;
    return node->at;
}

} // namespace lockscope::redis
