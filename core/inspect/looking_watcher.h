// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/answer_cost.h"
#include "inspect/watcher.h"
#include "runtime/runtime.h"

#include <deque>

namespace lockscope::inspect {

/// A watcher whose server is small enough to be looked at as a whole, each time that something may have changed. Each
/// kind adds one look, and how it hears of news; the pace, the budget, outages and the connection's state are here.
class LookingWatcher : public Watcher {
public:
    QCoro::Task<std::expected<void, WatchTrouble>> open(std::stop_token stop = {}) override;
    QCoro::Task<LockReport> once(std::stop_token stop = {}, Callback progress = {}) override;
    QCoro::Task<> watch(Callback callback, std::stop_token stop = {}) override;
    void lookSoon() override;
    WatchStatus status() const override;
    void onStatus(std::function<void()> callback) override { m_onStatus = std::move(callback); }
    std::optional<Nanos> unansweredSince() override;
    WatchLoad load() const override { return {requests(), m_serverTime}; }
    std::optional<ServerIdentity> identity() const override { return m_server; }
    QString where() const override { return m_where; }
    const LockRow* lastSeen(const QByteArray& lockName) const override;

protected:
    /// `where`: the server's address, for people.
    LookingWatcher(Runtime& runtime, QString where, WatchOptions options);

    /// The findings of one look.
    struct Look {
        std::vector<LockRow> locks;          ///< in any order, of any name
        bool complete = true;                ///< nothing is left to be looked at
        std::int64_t looked = 0;             ///< places that were looked at in this look
        std::int64_t passed = 0, there = -1; ///< places looked at so far, and in all; -1 = not known
        std::vector<WatchNote> notes;
        std::optional<ServerIdentity> server;    ///< missing = it does not tell
        std::vector<WatchedServerState> servers; ///< those of an ensemble, as far as each tells of itself
        std::vector<ServerEvent> events = {};    ///< besides those that `server` shows, since the look before
        std::vector<QByteArray> eventsAt = {};   ///< LockReport::eventsAt
        bool outlivesRestarts = false;           ///< LockReport::outlivesRestarts
    };
    template <typename T>
    using Answer = QCoro::Task<std::expected<T, WatchTrouble>>;
    enum class Depth : std::uint8_t {
        Everything, ///< somebody waits for the whole answer
        Slice,      ///< what is known, and a part of what is not: the rest follows in the next looks
    };
    using Progress = std::function<void(std::int64_t passed, std::int64_t there)>;

    /// Connects, and says whether the server answers.
    virtual Answer<void> connect(std::stop_token stop) = 0;
    virtual Answer<Look> look(Depth depth, Progress progress, std::stop_token stop) = 0;
    /// Returns when there may be news, after `longest` at the latest. Without a server that tells: after `longest`.
    virtual QCoro::Task<> news(Nanos longest, std::stop_token stop);
    /// Whether news() hears of every change of a lock that is known.
    virtual bool hearsOfChanges() const { return false; }
    /// Requests sent so far.
    virtual std::uint64_t requests() const = 0;

    /// Counts what the server has worked, at most; a time below 0 takes back what was counted too much. keepShare()
    /// rests until that is no more than `share` of the time since the last call of beginShare().
    void spent(Nanos time);
    void beginShare();
    QCoro::Task<> keepShare(double share, std::stop_token stop);
    /// Ends after `time`, or once a look is wanted at once.
    QCoro::Task<> rest(Nanos time, std::stop_token stop);

    Runtime& runtime() const { return m_runtime; }
    const WatchOptions& options() const { return m_options; }

private:
    QCoro::Task<LockReport> report(Depth depth, Progress progress, std::stop_token stop);
    void describe(LockReport& report);
    void tell(WatchStatus::State state, QString trouble = {});

    Runtime& m_runtime;
    QString m_where;
    WatchOptions m_options;
    std::vector<LockRow> m_lastLocks;
    std::optional<ServerIdentity> m_server;
    Nanos m_serverAt{};
    int m_connections = 0;
    Nanos m_serverTime{};
    AnswerCost m_cost;
    std::optional<Nanos> m_askedSince;     ///< while a look goes on and does not rest, or after one without an answer
    bool m_unanswered = false;             ///< the last look has found no server that answers
    std::uint64_t m_requestsThen = 0;      ///< … and how many had been sent
    Nanos m_shareSince{}, m_spentBefore{}; ///< when beginShare() was called, and the server's time until then
    std::deque<std::pair<Nanos, std::uint64_t>> m_sent; ///< requests sent, at the looks of the last seconds
    int m_servers = 0, m_away = 0; ///< of an ensemble, at the last look, and those of them that do not answer
    WatchStatus::State m_state = WatchStatus::State::Idle;
    QString m_trouble;
    std::function<void()> m_onStatus;
    bool m_soon = false; ///< a look is wanted that begins from now on
    Waiter* m_resting = nullptr;
};

} // namespace lockscope::inspect
