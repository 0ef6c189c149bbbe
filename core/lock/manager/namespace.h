// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "connections/connection.h"
#include "lock/manager/hysteresis.h"
#include "lock/manager/lock_manager.h"
#include "lock/manager/namespace_servers.h"
#include "lock/manager/switch_reason.h"
#include "lock/manager/switchboard.h"
#include "runtime/signal_count.h"

#include <set>

namespace lockscope::detail {

struct ManagedCore;

/// One namespace of a manager: its connections, what this process knows of the record, and its part in switches.
class Namespace : public std::enable_shared_from_this<Namespace> {
public:
    /// `self`: this process in the recorder's trace.
    Namespace(Runtime& runtime, NamespaceConfig config, QByteArray client, trace::Recorder* recorder,
              trace::EntityId self, LockManager::Connector connector);
    /// An error that shows only with the connections at hand; nullopt = none.
    std::optional<QString> complaint() { return complaintOf(m_config); }
    /// An error in another configuration with the same servers; nullopt = none.
    std::optional<QString> complaintOf(const NamespaceConfig& config);
    /// Starts reading the record and checking health; later calls do nothing.
    void begin();
    /// Stops; tells all holders that their locks are lost.
    void end();
    /// Creates what the recipes and the record need on all its servers.
    static recipes::Outcome<void> prepare(std::shared_ptr<Namespace> self, std::stop_token stop);
    /// end(), then gives the holds back and closes the connections.
    static QCoro::Task<> close(std::shared_ptr<Namespace> self);

    Runtime& runtime() { return m_runtime; }
    const NamespaceConfig& config() const { return m_config; }
    void reconfigure(NamespaceConfig config);
    /// Whether the other configuration has the same record servers and the same engines, in any order.
    bool sameServers(const NamespaceConfig& other) const;
    /// Whether it reaches them with equal URLs, passwords included: connections are not made anew.
    bool sameConnections(const NamespaceConfig& other) const;
    /// Whether a switch takes as long with it: other processes rely on that time.
    bool sameTimes(const NamespaceConfig& other) const;

    /// The epoch in use; 0 when none is just now.
    std::int64_t usable() const;
    bool stopped() const { return m_stop.stop_requested(); }
    /// Stopped when the engine in use now is left.
    std::stop_token whileIn() const { return m_inUse.get_token(); }
    /// Waits for the next change, at most `wait`.
    QCoro::Task<bool> changed(Nanos wait, std::stop_token stop) { return m_changed.acquire(m_runtime, wait, stop); }
    /// Until when holders on that epoch's engine may continue, by the own monotonic clock: kNever while it is in use.
    Nanos holdsUntil(std::int64_t epoch) const;
    /// Until when a holder may trust its hold even if it hears nothing (its process is stopped), by the own monotonic
    /// clock. Read by all threads.
    std::shared_ptr<const std::atomic<Nanos::rep>> believedUntil() const { return m_believedUntil; }
    /// A lock on the engine in use, or being left.
    std::expected<std::unique_ptr<DistributedLock>, LockError> makeLock(const QByteArray& name, int permits);
    /// The error for a request that only an engine in use can answer.
    LockError notInUse() const;
    /// The error of the first engine whose recipe does not offer the mode; nullopt when all do.
    std::optional<LockError> lackOf(recipes::Mode mode) const;
    /// The error of the first engine whose recipe has no conditions; nullopt when all have them.
    std::optional<LockError> lackOfConditions() const;
    /// The error of the first engine whose recipe is not reentrant; nullopt when all are.
    std::optional<LockError> lackOfReentry() const;
    /// The condition of a lock that is held on the engine in use, or being left, since that epoch. Kind::NotOwner when
    /// another one is in use by now, so that the hold is over.
    std::expected<std::unique_ptr<recipes::ConditionRecipe>, LockError> makeCondition(const QByteArray& name,
                                                                                      std::int64_t epoch);
    LockManager::Status status() const;
    /// Proposes a switch to `engine`. Success also when it is in use already, or when another process's proposal of it
    /// is decided meanwhile. With SwitchReason::Health any engine but the one in use will do: one more epoch would only
    /// make everybody wait again.
    /// `mode`: the configuration's unless given; Immediate is allowed where that drains.
    recipes::Outcome<void> propose(QByteArray engine, SwitchReason why, std::stop_token stop,
                                   std::optional<SwitchMode> mode = std::nullopt);

    std::function<void(const ManagerEvent&)> listener;
    std::set<std::shared_ptr<ManagedCore>> locks;
    /// Wakes everybody who waits for a change.
    void wakeAll();

private:
    struct Engine {
        EngineConfig config;
        QByteArray id; ///< config.id(), which puts a text together
        Connection* connection = nullptr;
        Hysteresis health;
        Nanos leftAt{};           ///< own monotonic clock: when it was last left for its health; 0 = never
        Nanos goodSince = kNever; ///< own monotonic clock: the first of the latest good checks in a row
    };
    Engine* engineOf(const QByteArray& id);
    void tell(ManagerEvent::Kind kind, const QByteArray& engine, std::int64_t epoch,
              SwitchReason why = SwitchReason::Unknown, const QString& reason = {});
    Nanos patience() const { return std::max<Nanos>(m_config.confirmFor / 4, 50ms); }
    std::optional<LockError>
    lackOf(const std::function<std::optional<LockError>(const recipes::RecipeInfo&)>& lackOfOne) const;
    /// How long holds may continue after the engine is left, whoever leaves it and why.
    Nanos drainTime() const { return m_config.mode == SwitchMode::Drain ? m_config.drainFor : Nanos(0); }
    /// How long a decided record stays unsettled. An immediate switch of a namespace that drains takes no less: a
    /// process that cannot read the record lets its holders finish.
    Nanos settleTime() const { return m_config.switchTime(); }
    LockError refused(bool written) const;
    /// A switch is, or may be, in progress, as far as this process knows.
    bool switching() const { return m_proposing > 0 || m_deciding.epoch > m_active.epoch; }
    void judge(const Switchboard::View& view);
    /// Whether servers do not know, or no longer know, the record that this process knows to be settled.
    bool forgotten(const EngineRecord& latest) const;
    /// `next`: the record because of which it is left; none when the record cannot be read.
    void leave(SwitchReason why, const EngineRecord& next = {});
    void adopt(const EngineRecord& record);

    static QCoro::Task<> follow(std::shared_ptr<Namespace> self);
    static QCoro::Task<> keepAgreeing(std::shared_ptr<Namespace> self);
    /// Reads the record and does what it asks of this process: leave, adopt, settle, or mend the servers' copies.
    static QCoro::Task<> agreeOnce(std::shared_ptr<Namespace> self);
    static QCoro::Task<> remind(std::shared_ptr<Namespace> self, Switchboard::View view);
    static QCoro::Task<> endSplit(std::shared_ptr<Namespace> self, std::int64_t epoch);
    /// One try to get an engine decided; `meant` says whether another process's decided proposal will do.
    enum class Try : std::uint8_t { Done, TooFewAnswer, Beaten };
    QCoro::Task<Try> tryToPropose(EngineRecord wish, std::function<bool(const EngineRecord&)> meant,
                                  std::stop_token stop);
    /// A proposal of this process, without its epoch.
    EngineRecord wishFor(QByteArray engine, SwitchReason why) const;
    /// Pauses before another try, longer each time, so that one of several proposers gets through.
    QCoro::Task<> makeWay(int tries, std::stop_token stop);
    // --- namespace_health.cpp ---
    static QCoro::Task<> checkHealth(std::shared_ptr<Namespace> self, QByteArray engine);
    static QCoro::Task<> switchAway(std::shared_ptr<Namespace> self, QByteArray from);
    /// Whether it is time to return to the primary without anybody's asking.
    bool mayReturnTo(const Engine& engine) const;
    /// The returns so far that a record for `why` carries on: EngineRecord::returns.
    int returnsFor(SwitchReason why) const;
    static QCoro::Task<> expire(std::shared_ptr<Namespace> self);
    // --- namespace_holds.cpp ---
    static QCoro::Task<> loseHolds(std::shared_ptr<Namespace> self);
    QCoro::Task<> loseHoldsBefore(std::int64_t epoch, const char* reason,
                                  std::function<QCoro::Task<>()> pause = nullptr);
    static QCoro::Task<> endHolds(std::shared_ptr<Namespace> self, std::int64_t before, Nanos at,
                                  std::uint64_t leaving);
    static QCoro::Task<> untilNobodyGrants(std::shared_ptr<Namespace> self, std::int64_t before, std::uint64_t leaving);

    Runtime& m_runtime;
    NamespaceConfig m_config;
    QByteArray m_client;
    trace::Recorder* m_recorder;
    trace::EntityId m_self; ///< this process in the recorder's trace
    NamespaceServers m_servers;
    std::vector<Engine> m_engines;
    std::unique_ptr<Switchboard> m_board;
    std::stop_source m_stop;
    bool m_begun = false;

    // This process's knowledge.
    EngineRecord m_active;        ///< the last settled record that was adopted; epoch 0 = none
    Nanos m_adoptedAt{};          ///< own monotonic clock: when m_active was adopted
    bool m_leaving = true;        ///< no grants on the active engine
    std::uint64_t m_leavings = 0; ///< how often an engine was left
    std::int64_t m_leftFor = 0;   ///< the epoch of the record because of which it was left; 0 = none could be read
    Nanos m_laterSeenAt{};        ///< own monotonic clock: when a later record than m_active was last seen
    Nanos m_holdsUntil{};         ///< own monotonic clock: when the holds on the engine being left end
    Nanos m_confirmedUntil{};     ///< own monotonic clock: end of trust in the latest reading
    Nanos m_readUntil{};          ///< own monotonic clock: until then a read quorum has answered lately
    std::shared_ptr<std::atomic<Nanos::rep>> m_believedUntil = std::make_shared<std::atomic<Nanos::rep>>(0);
    EngineRecord m_deciding;  ///< an unsettled record that was seen decided …
    Nanos m_decidedSince{};   ///< … and when, at the latest
    QByteArray m_wanted;      ///< the primary of the latest configuration that changed it …
    bool m_following = false; ///< … a coroutine is proposing it
    int m_proposing = 0;      ///< proposals of this process in progress
    int m_givingBack = 0;     ///< coroutines that tell holders of their loss, and give the holds back
    int m_splits = 0;         ///< readings in a row that found two proposals, neither of which can win
    std::stop_source m_inUse;
    SignalCount m_changed;
};

} // namespace lockscope::detail
