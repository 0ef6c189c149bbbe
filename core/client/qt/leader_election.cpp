// SPDX-License-Identifier: Apache-2.0
#include "client/blocking/holder_told.h"
#include "client/blocking/service.h"
#include "client/election_rules.h"
#include "client/qt/connection_impl.h"
#include "client/qt/translated.h"
#include "lock/distributed_mutex.h"
#include "lock/listener_call.h"

#include <lockscope/qt/leader_election.h>

namespace lockscope::qt {

/// A candidate: a coroutine that takes the lock, keeps it while it leads, and takes it again after a loss. The
/// coroutine keeps this object.
struct LeaderElection::Campaign {
    using Me = std::shared_ptr<Campaign>;

    Campaign(const Connection& connection, const QString& name, LockOptions lockOptions)
        : backing(Inside::backing(connection)),
          options(std::move(lockOptions)),
          lock(Inside::connection(connection), name.toUtf8(), options) {
        lock.listen([this](HoldEvent event, const QByteArray&, const QString& reason) {
            if (event == HoldEvent::Lost) lostBy = reason;
        });
    }

    /// A coroutine's wait for an election, in its frame.
    struct Hope {
        explicit Hope(Campaign& campaign) : of(campaign) { of.hopes.push_back(this); }
        ~Hope() { std::erase(of.hopes, this); }
        Hope(const Hope&) = delete;
        Hope& operator=(const Hope&) = delete;
        Campaign& of;
        Completion<bool> ends; ///< it leads, or never will
    };

    Runtime& runtime() const { return backing->runtime(); }
    bool leads() const { return hold.stillMine(); }
    void measure(LockMeasure::Kind kind, Nanos since) const {
        backing->measure(kind, lock.name(), backing->now() - since);
    }
    /// Why nobody can be elected; nullopt: somebody can.
    std::optional<LockError> wrong();
    /// Lets all coroutines that wait for an election look again.
    void endHopes() const;
    static void begin(const Me& me);
    static QCoro::Task<> run(Me me, std::stop_token resigned);
    static QCoro::Task<> lead(Me me, std::stop_token resigned);
    static recipes::Outcome<void> resign(Me me);
    static recipes::Outcome<bool> waitUntilLeader(Me me, Nanos wait, std::stop_token stop);
    static recipes::Outcome<std::optional<Holder>> leader(Me me, std::stop_token stop);

    const std::shared_ptr<Backing> backing; ///< outlives the lock
    const LockOptions options;
    /// No thread of the program has it: another election of that name over the same connection must not re-enter.
    const QByteArray thread = blocking::detail::ownNumber();
    DistributedMutex lock;
    std::function<void(std::int64_t)> elected;
    std::function<void(const QString&)> deposed, failed;
    std::stop_source resigned{std::nostopstate}; ///< of the latest candidature
    bool running = false;
    bool gone = false; ///< its election object is
    LockGuard hold;    ///< while it leads
    QString lostBy;
    std::stop_source leadership{std::nostopstate};
    std::vector<Hope*> hopes;           ///< coroutines that wait for an election
    std::vector<Completion<bool>> ends; ///< coroutines that wait for the candidature's end
};

namespace {
template <typename Listener, typename... Arguments>
void call(const Listener& listener, const Arguments&... arguments) {
    const Listener called = listener; // it may set another one
    if (called) lockscope::detail::callListener(called, arguments...);
}

/// Completes what waits for the end of a leadership.
struct Ends {
    Completion<bool> over;
    void operator()() const { over.complete(true); }
};
} // namespace

void LeaderElection::Campaign::endHopes() const {
    for (const Hope* const hope : hopes)
        hope->ends.complete(true);
}

std::optional<LockError> LeaderElection::Campaign::wrong() {
    if (auto wrong = wrongForElections(options)) return wrong;
    const auto made = lock.lockObject();
    if (!made) return made.error();
    return wrongForElections((*made)->recipe());
}

QCoro::Task<> LeaderElection::Campaign::run(Me me, std::stop_token resigned) {
    using Kind = LockMeasure::Kind;
    try {
        while (!resigned.stop_requested()) {
            const Nanos begun = me->backing->now();
            auto taken = co_await me->lock.lock(me->thread, resigned);
            me->measure(taken ? Kind::Acquired : Kind::Failed, begun);
            if (taken) {
                me->hold = *std::move(taken);
                co_await lead(me, resigned);
                continue;
            }
            call(me->failed, taken.error().message);
            co_await me->runtime().sleep(kElectionRest, resigned);
        }
    } catch (const Cancelled&) { // resigned, or the program ends
    }
    me->running = false;
    for (const Completion<bool>& end : std::exchange(me->ends, {}))
        end.complete(true);
    if (!me->resigned.stop_requested() && me->runtime().alive()) begin(me); // asked to campaign again meanwhile
}

void LeaderElection::Campaign::begin(const Me& me) {
    me->running = true;
    me->runtime().spawn([me, resigned = me->resigned.get_token()] { return run(me, resigned); });
}

QCoro::Task<> LeaderElection::Campaign::lead(Me me, std::stop_token resigned) {
    const Nanos since = me->backing->now();
    const std::stop_token lost = me->hold.lost();
    const Completion<bool> over;
    const std::stop_source leadership;
    me->leadership = leadership;
    me->lostBy.clear();
    call(me->elected, me->hold.token());
    me->endHopes();
    {
        const std::stop_callback<Ends> onLost(lost, Ends{over});
        const std::stop_callback<Ends> onResigned(resigned, Ends{over});
        co_await over.wait(me->runtime());
    }
    me->leadership.request_stop();
    if (lost.stop_requested()) {
        me->hold = LockGuard();
        me->measure(LockMeasure::Kind::Lost, since);
        call(me->deposed, me->lostBy);
        co_return;
    }
    call(me->deposed, QString()); // its work has stopped before another one leads
    LockGuard hold = std::exchange(me->hold, LockGuard());
    const auto left = co_await hold.unlock();
    me->measure(blocking::detail::endOf(left.has_value()), since);
    if (!left) call(me->failed, left.error().message);
}

recipes::Outcome<void> LeaderElection::Campaign::resign(Me me) {
    me->resigned.request_stop();
    if (me->running) {
        const Completion<bool> end = me->ends.emplace_back();
        co_await end.wait(me->runtime());
    }
    co_return std::expected<void, LockError>();
}

recipes::Outcome<bool> LeaderElection::Campaign::waitUntilLeader(Me me, Nanos wait, std::stop_token stop) {
    Runtime& runtime = me->runtime();
    const Nanos until = laterBy(runtime.monotonic(), wait);
    while (!me->leads() && !me->gone) {
        const Nanos left = until == kNever ? kNever : std::max(Nanos(0), until - runtime.monotonic());
        const Hope hope(*me);
        const std::optional<bool> looksAgain = co_await hope.ends.wait(runtime, left, stop);
        if (!looksAgain) break;
    }
    co_return me->leads() && !me->gone;
}

recipes::Outcome<std::optional<Holder>> LeaderElection::Campaign::leader(Me me, std::stop_token stop) {
    const auto holders = co_await me->lock.holders(std::move(stop));
    if (!holders) co_return std::unexpected(holders.error());
    if (holders->empty()) co_return std::nullopt;
    co_return holderOf(holders->front());
}

LockOptions LeaderElection::defaults() {
    return electionOptions();
}

LeaderElection::LeaderElection(Connection& connection, const QString& name, LockOptions options)
    : m_campaign(std::make_shared<Campaign>(connection, name, std::move(options))) {
}

LeaderElection::~LeaderElection() {
    m_campaign->elected = nullptr;
    m_campaign->deposed = m_campaign->failed = nullptr;
    m_campaign->leadership.request_stop();
    m_campaign->resigned.request_stop();
    m_campaign->gone = true;
    m_campaign->endHopes();
}

void LeaderElection::onElected(std::function<void(std::int64_t term)> listener) {
    m_campaign->elected = std::move(listener);
}

void LeaderElection::onDeposed(std::function<void(const QString& reason)> listener) {
    m_campaign->deposed = std::move(listener);
}

void LeaderElection::onFailed(std::function<void(const QString& reason)> listener) {
    m_campaign->failed = std::move(listener);
}

std::expected<void, Error> LeaderElection::campaign() {
    if (const auto wrong = m_campaign->wrong()) return std::unexpected(toldOf(*wrong));
    if (m_campaign->running && !m_campaign->resigned.stop_requested()) return {};
    m_campaign->resigned = std::stop_source();
    if (!m_campaign->running) Campaign::begin(m_campaign); // otherwise it begins when the one before has ended
    return {};
}

Outcome<void> LeaderElection::resign() {
    return told(Campaign::resign(m_campaign));
}

Outcome<bool> LeaderElection::waitUntilLeader(std::chrono::nanoseconds wait, std::stop_token stop) const {
    return told(Campaign::waitUntilLeader(m_campaign, wait, std::move(stop)));
}

bool LeaderElection::isLeader() const {
    return m_campaign->leads();
}

std::int64_t LeaderElection::term() const {
    return m_campaign->leads() ? m_campaign->hold.token() : 0;
}

std::stop_token LeaderElection::leadership() const {
    return m_campaign->leads() ? m_campaign->leadership.get_token() : std::stop_token();
}

Outcome<std::optional<Holder>> LeaderElection::leader(std::stop_token stop) {
    return told(Campaign::leader(m_campaign, std::move(stop)));
}

} // namespace lockscope::qt
