// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "lock/connection.h"
#include "lock/manager/hysteresis.h"
#include "lock/manager/lock_manager.h"
#include "lock/manager/switch_reason.h"
#include "lock/manager/switchboard.h"
#include "runtime/signal_count.h"

#include <set>

namespace lockscope::detail {

struct ManagedCore;

/// One namespace of a manager: its connections, what this process knows of the agreement, and its part in it.
class Namespace : public std::enable_shared_from_this<Namespace> {
public:
    Namespace(Runtime& runtime, NamespaceConfig config, QByteArray client, trace::Recorder* recorder,
              LockManager::Connector connector);
    /// What is wrong with the configuration that shows only here; nullopt when nothing is.
    std::optional<QString> complaint() const { return complaintOf(m_config); }
    /// The same of a configuration with the same servers.
    std::optional<QString> complaintOf(const NamespaceConfig& config) const;
    /// The first time; after that it goes on already.
    void begin();
    /// Who holds a lock is told that it is lost.
    void end();
    /// What the recipes and the record need on its servers.
    static recipes::Outcome<void> prepare(std::shared_ptr<Namespace> self, std::stop_token stop);
    /// And says goodbye to its servers.
    static QCoro::Task<> close(std::shared_ptr<Namespace> self);

    Runtime& runtime() { return m_runtime; }
    const NamespaceConfig& config() const { return m_config; }
    void reconfigure(NamespaceConfig config);
    /// The same servers keep the record, and it can name the same engines, in whichever order.
    bool sameServers(const NamespaceConfig& other) const;
    /// They are reached as before, passwords and all: connections are not made anew.
    bool sameConnections(const NamespaceConfig& other) const;
    /// A switch takes as long: what others count on who wait for this process.
    bool sameTimes(const NamespaceConfig& other) const;

    /// The epoch in use, 0 when none is just now.
    std::int64_t usable() const;
    bool stopped() const { return m_stop.stop_requested(); }
    /// Ends when this epoch's engine is left.
    std::stop_token whileIn() const { return m_inUse.get_token(); }
    /// Waits for the next change, at most so long.
    QCoro::Task<bool> changed(Nanos wait, std::stop_token stop) { return m_changed.acquire(m_runtime, wait, stop); }
    /// Until when who holds a lock on that epoch's engine may do so, own monotonic clock: kNever while it is in use.
    Nanos holdsUntil(std::int64_t epoch) const;
    /// Until when holds may be believed in by who does not hear, because it is stopped, what becomes of the engine: own
    /// monotonic clock. Read by all threads.
    std::shared_ptr<const std::atomic<Nanos::rep>> believedUntil() const { return m_believedUntil; }
    /// Of the engine in use, or being left.
    std::expected<std::unique_ptr<DistributedLock>, LockError> makeLock(const QByteArray& name, int permits);
    /// The error of asking for what only an engine in use can answer.
    LockError notInUse() const;
    /// The error of the first engine whose recipe does not offer that mode; nullopt when all do.
    std::optional<LockError> lackOf(recipes::Mode mode) const;
    std::optional<LockError> lackOfConditions() const;
    /// Of those that let a thread in again that is inside.
    std::optional<LockError> lackOfReentry() const;
    /// Of a lock that is held on the engine in use, or being left, since that epoch.
    std::expected<std::unique_ptr<recipes::ConditionRecipe>, LockError> makeCondition(const QByteArray& name,
                                                                                      std::int64_t epoch);
    LockManager::Status status() const;
    /// Success also when it is in use already, or somebody else's proposal of it is decided meanwhile, for
    /// SwitchReason::Health of any but the engine in use: one more epoch would only make everybody wait anew.
    recipes::Outcome<void> propose(QByteArray engine, SwitchReason why, std::stop_token stop);

    std::function<void(const ManagerEvent&)> listener;
    std::set<std::shared_ptr<ManagedCore>> locks;
    /// Everybody who waits for a change looks again.
    void wakeAll();

private:
    struct Server {
        ConnectionUrl url;
        std::unique_ptr<Connection> connection;
    };
    struct Engine {
        EngineConfig config;
        Connection* connection = nullptr;
        Hysteresis health;
        Nanos leftAt{}; ///< own monotonic clock: when it was last left because of its health; 0 = never
    };
    Connection* connect(const ConnectionUrl& url, const QByteArray& client);
    Engine* engineOf(const QByteArray& id);
    void tell(ManagerEvent::Kind kind, const QByteArray& engine, std::int64_t epoch,
              SwitchReason why = SwitchReason::Unknown, const QString& reason = {});
    Nanos patience() const { return std::max<Nanos>(m_config.confirmFor / 4, 50ms); }
    std::optional<LockError>
    lackOf(const std::function<std::optional<LockError>(const recipes::RecipeInfo&)>& lackOfOne) const;
    /// How long holds may go on when the engine is left.
    Nanos drainTime() const { return m_config.mode == SwitchMode::Drain ? m_config.drainFor : Nanos(0); }
    Nanos settleTime() const;
    LockError refused(bool written) const;
    /// A switch is under way, as far as this process knows; or it may be.
    bool switching() const { return m_proposing > 0 || m_deciding.epoch > m_active.epoch; }
    void judge(const Switchboard::View& view);
    /// Whether servers do not know, or no more, of the agreement that this process knows to be settled.
    bool forgotten(const EngineRecord& latest) const;
    void leave(SwitchReason why);
    void adopt(const EngineRecord& record);

    static QCoro::Task<> follow(std::shared_ptr<Namespace> self);
    static QCoro::Task<> keepAgreeing(std::shared_ptr<Namespace> self);
    static QCoro::Task<> turn(std::shared_ptr<Namespace> self);
    static QCoro::Task<> remind(std::shared_ptr<Namespace> self, Switchboard::View view);
    static QCoro::Task<> endSplit(std::shared_ptr<Namespace> self, std::int64_t epoch);
    /// One try to have an engine decided; `meant` says when a decided proposal of somebody else's will do.
    enum class Try : std::uint8_t { Done, TooFewAnswer, Beaten };
    QCoro::Task<Try> tryToPropose(QByteArray engine, SwitchReason why, std::function<bool(const EngineRecord&)> meant,
                                  std::stop_token stop);
    /// Before another try, longer each time: with many at it, nobody would ever have both servers to himself.
    QCoro::Task<> makeWay(int tries, std::stop_token stop);
    // --- namespace_health.cpp ---
    static QCoro::Task<> checkHealth(std::shared_ptr<Namespace> self, QByteArray engine);
    static QCoro::Task<> switchAway(std::shared_ptr<Namespace> self, QByteArray from);
    static QCoro::Task<> expire(std::shared_ptr<Namespace> self);
    static QCoro::Task<> loseHolds(std::shared_ptr<Namespace> self);
    QCoro::Task<> loseHoldsBefore(std::int64_t epoch, const char* reason);
    static QCoro::Task<> endHolds(std::shared_ptr<Namespace> self, std::int64_t before, Nanos at,
                                  std::uint64_t leaving);

    Runtime& m_runtime;
    NamespaceConfig m_config;
    QByteArray m_client;
    trace::Recorder* m_recorder;
    LockManager::Connector m_connector;
    std::vector<Server> m_servers;
    std::vector<Engine> m_engines;
    std::unique_ptr<Switchboard> m_board;
    std::stop_source m_stop;
    bool m_begun = false;

    // What this process knows.
    EngineRecord m_active;        ///< the last settled record that was adopted; epoch 0 = none
    bool m_leaving = true;        ///< no grants on it
    std::uint64_t m_leavings = 0; ///< how often an engine was left
    Nanos m_holdsUntil{};         ///< own monotonic clock: when the holds on the one being left end
    Nanos m_confirmedUntil{};     ///< own monotonic clock
    std::shared_ptr<std::atomic<Nanos::rep>> m_believedUntil = std::make_shared<std::atomic<Nanos::rep>>(0);
    EngineRecord m_deciding;  ///< an unsettled record that was seen decided …
    Nanos m_decidedSince{};   ///< … and since when, at the latest
    QByteArray m_wanted;      ///< the primary of the configuration that came last with another one …
    bool m_following = false; ///< … which is being proposed
    int m_proposing = 0;      ///< proposals of this process that are under way
    int m_splits = 0;         ///< looks in a row that found two proposals of which neither can win
    std::stop_source m_inUse;
    SignalCount m_changed;
};

} // namespace lockscope::detail
