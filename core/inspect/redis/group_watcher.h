// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/redis/info.h"
#include "inspect/redis/watcher.h"

namespace lockscope::redis {
class ClusterPort;
class SentinelPort;
} // namespace lockscope::redis

namespace lockscope::inspect {

/// Finds and watches the locks on all masters of a Redis Cluster, or on the master behind sentinels, as one. A
/// RedisWatcher of its own looks at each master; which servers these are, the connection's own ports say, so locks and
/// watchers follow a failover by the same rules.
///
/// When a master is replaced, the new one is asked for the locks of the old one first, and its first report says so:
/// ServerEvent::FailedOver at both addresses. As long as one master cannot be read, nothing is reported but that: the
/// locks of the others stay as they were seen.
///
/// Besides a RedisWatcher's rights it needs ROLE behind sentinels, and CLUSTER SLOTS on a cluster.
class RedisGroupWatcher final : public Watcher {
public:
    /// `url`: redis+sentinel:// or redis+cluster://. `where`: the group's address, for people.
    RedisGroupWatcher(Runtime& runtime, const ConnectionUrl& url, QString where, redis::Dialler dial,
                      WatchOptions options);
    ~RedisGroupWatcher() override;

    QCoro::Task<std::expected<void, WatchTrouble>> open(std::stop_token stop = {}) override;
    QCoro::Task<LockReport> once(std::stop_token stop = {}, Callback progress = {}) override;
    QCoro::Task<> watch(Callback callback, std::stop_token stop = {}) override;
    void lookSoon() override;
    WatchStatus status() const override;
    void onStatus(std::function<void()> callback) override { m_onStatus = std::move(callback); }
    WatchLoad load() const override;
    std::optional<ServerIdentity> identity() const override;
    QString where() const override { return m_where; }
    const LockRow* lastSeen(const QByteArray& lockName) const override;

private:
    struct Master;
    using MasterPtr = std::shared_ptr<Master>;
    using Places = std::vector<ClusterNode>; ///< the masters that have slots
    QCoro::Task<std::expected<Places, WatchTrouble>> survey(std::stop_token stop);
    MasterPtr make(const ClusterNode& place);
    /// The locks of other masters whose slots `place` has.
    std::vector<LockRow> seenElsewhere(const ClusterNode& place) const;
    /// The locks in those slots that other masters lost a short while ago, as they were seen last.
    std::vector<LockRow> lostElsewhere(const ClusterNode& place) const;
    /// Keeps what this look at the master does not find any more, if something happened to that.
    void keepLost(Master& master, const LockReport& report) const;
    void arrange(const Places& places, bool follow);
    void startFollowing(const MasterPtr& master);
    static QCoro::Task<> follow(MasterPtr master, Callback told);
    QCoro::Task<> pause(Nanos longest, std::stop_token stop);
    void heard(Master& master, const LockReport& report);
    /// It cannot be read, or is no master now: another one may take over.
    void doubt(Master& master);
    /// Why this master cannot be read; nullopt: it can, or has not been yet.
    std::optional<WatchTrouble> troubleWith(const Master& master) const;
    /// The trouble that keeps the group from being known: with all of its masters, or with finding them. nullopt: none.
    std::optional<WatchTrouble> trouble() const;
    /// Each master was looked at, or cannot be.
    bool everyMasterTried() const;
    LockReport merged();
    /// A lock whose slot has left its master is one of the slot's new owner, which is asked what became of it.
    void handOnMoved();
    /// Has a master look for these locks of others. Until it has, they are not known.
    void expect(Master& master, const std::vector<LockRow>& rows) const;
    static void addAwaited(const Master& master, std::vector<LockRow>& locks);
    void forgetForeignEnds(std::vector<LockRow>& locks) const;
    void dropMoved(std::vector<LockRow>& locks) const;
    /// Keys on their way to it with their slot.
    static QByteArrayList movingTo(const Master& master);
    void noteMoving(LockReport& report) const;
    void tellMoving(LockReport& report) const;
    void describe(LockReport& report) const;
    /// Ends the watch of a server that is left; what it has cost stays counted.
    void retire(Master& master);
    void retireAll();
    void wake();
    void tellStatus();

    Runtime& m_runtime;
    ConnectionUrl m_url;
    QString m_where;
    redis::Dialler m_dial;
    WatchOptions m_options;
    std::unique_ptr<redis::SentinelPort> m_sentinels; ///< one of the two
    std::unique_ptr<redis::ClusterPort> m_cluster;
    std::vector<MasterPtr> m_masters;
    std::vector<LockRow> m_lastLocks;
    std::optional<WatchTrouble> m_lost; ///< why the masters are not known
    WatchLoad m_spentBefore;            ///< by watchers of former masters
    int m_connectionsBefore = 0;
    std::function<void()> m_onStatus;
    Waiter* m_pausing = nullptr;
    bool m_woken = false;
    bool m_doubted = true; ///< the masters may be others by now
    bool m_news = false;   ///< a master's report has not been told yet
    bool m_tried = false;
};

} // namespace lockscope::inspect
