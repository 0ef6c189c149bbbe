// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "drivers/redis/driver.h"
#include "trace/recorder.h"
#include "workload/client_world.h"
#include "workload/resources.h"

namespace lockscope::live {

/// Counts the commands of several connections, own pings and subscriptions included.
class CommandCount {
public:
    void opened(const redis::RedisDriver& driver) { m_open.push_back(&driver); }
    /// Call it before the driver is destroyed.
    void closes(const redis::Client& driver);
    std::uint64_t sum() const;

private:
    std::uint64_t m_before = 0; ///< of connections that are closed
    std::vector<const redis::RedisDriver*> m_open;
};

/// Supplies one workload client of our own from running servers: real time, and real connections whose messages are
/// written into the trace. Servers take it for a process of its own.
class LiveClientWorld final : public workload::ClientWorld {
public:
    /// The part of a live session that its clients share; outlives them.
    struct Session {
        std::chrono::steady_clock::time_point origin;
        trace::Recorder& recorder;
        trace::EntityId node;
        const ConnectionUrl& url;
        workload::Resources& resources;
        CommandCount& commands; ///< those of its clients
        std::function<trace::EntityId(const QByteArray& lockName)> lockEntity;
        std::function<void(const workload::Participant&)> identified; ///< a new process has a new identity
    };
    explicit LiveClientWorld(Session session) : m_session(std::move(session)) {}

    std::unique_ptr<Runtime> makeRuntime(std::uint64_t process) override;
    void setWallOffset(Runtime& runtime, Nanos offset) override;
    void setDrift(Runtime&, std::int64_t) override {}
    void identified(const workload::Participant& client) override { m_session.identified(client); }
    std::unique_ptr<Connection> connect(Runtime& runtime, const workload::Participant& client,
                                        std::size_t service) override;
    std::optional<ConnectionUrl> urlOf(const QString&) const override { return std::nullopt; }
    std::unique_ptr<Connection> connectTo(Runtime&, const workload::Participant&, ConnectionUrl) override {
        return nullptr;
    }
    trace::EntityId lockEntity(const QByteArray& lockName) override { return m_session.lockEntity(lockName); }
    QCoro::Task<bool> write(Runtime& runtime, QByteArray lockName, trace::EntityId thread, std::int64_t token) override;

private:
    Session m_session;
};

} // namespace lockscope::live
