// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/redis/majority_ends.h"
#include "inspect/redis/watcher.h"

namespace lockscope::inspect {

/// Finds and watches the locks that independent Redis servers keep together, as Redlock does: one row for each name,
/// with a copy for each server. The holder is the one that a majority of the servers names, and the lock lasts until a
/// majority does not have it any more; a holder on fewer servers holds nothing. A RedisWatcher of its own looks at each
/// server, with that one's rights.
///
/// A server that cannot be read is told in LockReport::servers, and its copies are not known. Without it the others
/// decide, as far as they can; when fewer than a majority can be read, the report is trouble.
///
/// A waiter of a Redlock asks again and again, and leaves nothing on a server: nobody can see it.
class RedlockWatcher final : public Watcher {
public:
    /// `url`: redlock://, with at least one server. `where`: all addresses, for people.
    RedlockWatcher(Runtime& runtime, const ConnectionUrl& url, QString where, const redis::Dialler& dial,
                   const WatchOptions& options);
    ~RedlockWatcher() override;

    /// Succeeds when a majority of the servers answers.
    QCoro::Task<std::expected<void, WatchTrouble>> open(std::stop_token stop = {}) override;
    QCoro::Task<LockReport> once(std::stop_token stop = {}, Callback progress = {}) override;
    QCoro::Task<> watch(Callback callback, std::stop_token stop = {}) override;
    void lookSoon() override;
    WatchStatus status() const override;
    void onStatus(std::function<void()> callback) override;
    WatchLoad load() const override;
    std::optional<ServerIdentity> identity() const override;
    QString where() const override { return m_where; }
    const LockRow* lastSeen(const QByteArray& lockName) const override;

private:
    struct Server;
    using ServerPtr = std::shared_ptr<Server>; ///< the coroutine that follows it keeps it, too
    void startFollowing(const ServerPtr& server);
    static QCoro::Task<> follow(ServerPtr server, Callback told);
    void heard(Server& server, LockReport report);
    /// Has `server` look for a lock that another one has: not having it yet does not mean that it is free there.
    static void doubt(Server& server, const LockRow& seenElsewhere);
    void told();
    void describe(LockReport& report) const;
    /// The rows of all servers. Precondition: a majority can be read.
    LockReport merged();
    LockReport trouble() const;
    std::size_t readableServers() const;
    std::size_t quorum() const { return m_servers.size() / 2 + 1; }
    QCoro::Task<> pause(Nanos longest, std::stop_token stop);
    void wake();

    Runtime& m_runtime;
    QString m_where;
    std::vector<ServerPtr> m_servers; ///< in the URL's order
    std::vector<LockRow> m_lastLocks;
    Nanos m_lastAt{};            ///< when these were told
    bool m_someWereAway = false; ///< … without some of the servers
    std::function<void()> m_onStatus;
    MajorityEnds m_ends;
    Waiter* m_pausing = nullptr;
    bool m_news = false; ///< a server has told something since the last report
    bool m_tried = false;
};

} // namespace lockscope::inspect
