// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/zookeeper/port.h"

namespace lockscope::test {

/// A real driver's port on which single calls go wrong in ways that need luck otherwise.
class MeddlingPort final : public zookeeper::Port {
public:
    using NodeMode = zookeeper::NodeMode;
    using Kind = zookeeper::Error::Kind;
    explicit MeddlingPort(zookeeper::Port& port) : m_port(port) {}

    bool loseCreation = false;                     ///< the next ephemeral node is made, but nobody hears of it
    bool stopInCreation = false;                   ///< the same, and the call is stopped as it waits
    zookeeper::Port* createsThrough = nullptr;     ///< whose session makes the next one; nobody hears of it
    std::optional<Kind> lookFails{};               ///< how the next get ends
    bool lagging = false;                          ///< the server knows of no node until it is synced
    bool removalEndsSession = false;               ///< the next removal never reaches the server
    std::function<QCoro::Task<>()> atRemoval{};    ///< once, instead of it; the answer is lost
    std::function<void()> atSync{};                ///< once, as it begins
    std::function<void()> atLook{};                ///< once, as the next get begins
    std::function<QCoro::Task<>()> beforeCreate{}; ///< once, of an ephemeral node
    std::function<QCoro::Task<>()> beforeExists{}; ///< once
    std::function<QCoro::Task<>()> afterExists{};  ///< once, before its answer is heard
    bool inNextSession = false;                    ///< the session has ended, and there is another one
    int usedAfterEnd = 0;                          ///< calls after the session has ended

    Runtime& runtime() override {
        if (m_ended) ++usedAfterEnd;
        return m_port.runtime();
    }
    const zookeeper::Session& session() const override {
        m_session = m_port.session();
        m_session.generation += inNextSession ? 1 : 0;
        return m_session;
    }
    void watchSession(const zookeeper::Watch& watch) override { m_port.watchSession(watch); }
    Reply<void> connected(Nanos patience, std::stop_token stop) override { return m_port.connected(patience, stop); }
    Reply<zookeeper::CreatedNode> create(QByteArray path, QByteArray data, NodeMode mode, Nanos ttl,
                                         std::stop_token stop) override {
        const bool counts = mode == NodeMode::Ephemeral || mode == NodeMode::EphemeralSequential;
        if (counts && beforeCreate) {
            const auto before = std::exchange(beforeCreate, nullptr);
            co_await before();
        }
        const bool lost = counts && std::exchange(loseCreation, false);
        const bool stopped = counts && std::exchange(stopInCreation, false);
        zookeeper::Port* const other = counts ? std::exchange(createsThrough, nullptr) : nullptr;
        zookeeper::Port& port = other ? *other : m_port;
        const auto made = co_await port.create(path, data, mode, ttl, stop);
        if (stopped) throw Cancelled(Cancelled::Why::Stopped);
        if (lost || other) co_return std::unexpected(failure(Kind::ConnectionLoss));
        co_return made;
    }
    Reply<void> remove(QByteArray path, int version, std::stop_token stop, std::uint64_t generation) override {
        if (std::exchange(removalEndsSession, false)) {
            m_ended = true;
            co_return std::unexpected(failure(Kind::SessionLost));
        }
        if (atRemoval) {
            const auto instead = std::exchange(atRemoval, nullptr);
            co_await instead();
            co_return std::unexpected(failure(Kind::ConnectionLoss));
        }
        if (generation && inNextSession) co_return std::unexpected(failure(Kind::SessionLost));
        co_return co_await m_port.remove(path, version, stop, generation);
    }
    Reply<zookeeper::NodeData> get(QByteArray path, std::optional<zookeeper::Watch> watch,
                                   std::stop_token stop) override {
        if (atLook) std::exchange(atLook, nullptr)();
        if (const auto kind = std::exchange(lookFails, std::nullopt)) co_return std::unexpected(failure(*kind));
        if (lagging) co_return std::unexpected(failure(Kind::NoNode));
        co_return co_await m_port.get(path, watch, stop);
    }
    Reply<std::optional<zookeeper::NodeStat>> exists(QByteArray path, std::optional<zookeeper::Watch> watch,
                                                     std::stop_token stop) override {
        if (beforeExists) {
            const auto before = std::exchange(beforeExists, nullptr);
            co_await before();
        }
        const auto seen = co_await m_port.exists(path, watch, stop);
        if (afterExists) {
            const auto after = std::exchange(afterExists, nullptr);
            co_await after();
        }
        co_return seen;
    }
    Reply<zookeeper::ChildList> children(QByteArray path, std::optional<zookeeper::Watch> watch,
                                         std::stop_token stop) override {
        const bool stale = lagging;
        auto list = co_await m_port.children(path, watch, stop);
        if (stale && list) list->names.clear();
        co_return list;
    }
    Reply<zookeeper::NodeStat> set(QByteArray path, QByteArray data, int version, std::stop_token stop) override {
        return m_port.set(path, data, version, stop);
    }
    Reply<std::vector<QByteArray>> multi(std::vector<zookeeper::Op> ops, std::stop_token stop) override {
        return m_port.multi(ops, stop);
    }
    Reply<void> sync(QByteArray path, std::stop_token stop) override {
        if (atSync) std::exchange(atSync, nullptr)();
        const auto synced = co_await m_port.sync(path, stop);
        if (synced) lagging = false;
        co_return synced;
    }

private:
    static zookeeper::Error failure(Kind kind) { return {kind, 0, QStringLiteral("meddled with")}; }
    zookeeper::Port& m_port;
    mutable zookeeper::Session m_session;
    bool m_ended = false;
};

} // namespace lockscope::test
