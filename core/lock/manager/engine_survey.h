// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "connections/connection.h"
#include "lock/manager/lock_manager.h"
#include "lock/manager/switchboard.h"

namespace lockscope {

namespace detail {
class NamespaceServers;
}

/// The answers of a namespace's servers, each of which was asked once.
struct EngineReport {
    struct Engine {
        EngineConfig config;
        std::optional<LockError> trouble; ///< nullopt: it could grant a lock now
    };
    /// A server that keeps the record.
    struct Copy {
        ConnectionUrl url;
        std::optional<LockError> trouble; ///< nullopt: it answered
        EngineRecord record;              ///< what stands there; epoch 0 = nothing
    };
    enum class State : std::uint8_t {
        Unreadable, ///< too few servers answered
        NotBegun,   ///< no process has begun yet
        InUse,      ///< `record` is settled: its engine is in use
        Proposed,   ///< `record` is on too few servers to be decided
        Switching,  ///< `record` is decided, and nothing is granted before it is settled
    };
    NamespaceConfig config;
    std::vector<Engine> engines;
    std::vector<Copy> copies;
    State state = State::Unreadable;
    EngineRecord record; ///< the latest
    int answered = 0;    ///< of the copies
    int agreeing = 0;    ///< copies with `record`
    int readQuorum = 0;
    int writeQuorum = 0;
    std::int64_t seenMs = 0; ///< when, by the own wall clock

    /// How `record`'s switch treats holders: as configured, or immediately when that was asked for by hand.
    SwitchMode mode() const { return record.immediate ? SwitchMode::Immediate : config.mode; }
    /// When the switch under way ends, by the clocks of the process that began it; 0 = none is, or not known.
    std::int64_t switchEndsMs() const;
    /// Position in the configuration; -1 = not there.
    int indexOf(const QByteArray& engine) const;
};

/// Looks at a namespace's engines and record without taking part: it writes nothing, and needs no other process.
///
/// Single-threaded, on its runtime's thread. The runtime must outlive it.
class EngineSurvey {
public:
    EngineSurvey(Runtime& runtime, NamespaceConfig config, const LockManager::Connector& connector);
    ~EngineSurvey();
    EngineSurvey(const EngineSurvey&) = delete;
    EngineSurvey& operator=(const EngineSurvey&) = delete;

    /// The mistakes of the configuration that show only with the connections at hand; paths begin at the namespace.
    std::vector<ConfigMistake> mistakes();
    /// Asks all servers at once. The first look connects, within `connecting`; a server that does not answer within the
    /// namespace's healthTimeout counts as silent. Throws Cancelled.
    QCoro::Task<EngineReport> look(Nanos connecting = 3s, std::stop_token stop = {});
    /// Ends its sessions on the servers.
    QCoro::Task<> close();

private:
    using Answer = std::optional<LockError>;
    struct Asking;
    static QCoro::Task<> ask(std::shared_ptr<Asking> asking, Connection* connection, bool opened, std::size_t i);
    Runtime& m_runtime;
    NamespaceConfig m_config;
    std::unique_ptr<detail::NamespaceServers> m_servers;
    std::unique_ptr<Switchboard> m_board;
    bool m_opened = false;
};

} // namespace lockscope
