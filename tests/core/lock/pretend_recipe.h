// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "lock/distributed_lock.h"
#include "runtime/signal_count.h"
#include "runtime/virtual_runtime.h"

namespace lockscope::tests {

/// A server of the test's own. It grants the lock to several readers, or to one writer, and some permits. It answers at
/// once, and reports of sessions what the test tells it to.
struct PretendServer {
    recipes::RecipeInfo info;
    Nanos lease = 10s; ///< of its grants, kNever for sessions that say later
    int permits = 3;
    int inUse = 0;
    int readers = 0;
    bool writer = false;
    bool expires = false;       ///< a writer's lease ends by itself
    Nanos writerUntil = kNever; ///< when, on the clocks of the clients, which all are right
    std::map<std::pair<QByteArray, recipes::Mode>, int> counts;
    std::vector<recipes::Grant> released;
    Nanos releaseTakes{}; ///< 0: answered at once
    Nanos answerTakes{};  ///< the same of whether it is locked
    int renewals = 0;     ///< asked for
    Nanos newsRest{};     ///< of its holds
    int newsAsked = 0;
    std::deque<recipes::HoldNews> news;
    SignalCount newsCame;
    std::vector<Nanos> leasesAsked; ///< by renewals
    CallList reconnects;            ///< what the connection tells
    bool tellsOfForce = false;
    std::vector<CallList::Callback> listeners; ///< to forced releases, in the order in which they came

    void say(recipes::HoldNews some) {
        news.push_back(some);
        newsCame.release();
    }
    void say(recipes::HoldNews::Kind kind, Nanos until = kNever, const char* reason = "") {
        say(recipes::HoldNews{kind, until, reason});
    }
};

class PretendRecipe final : public recipes::Recipe {
public:
    PretendRecipe(Runtime& runtime, PretendServer& server) : m_runtime(runtime), m_server(server) {}
    const recipes::RecipeInfo& info() const override { return m_server.info; }

    recipes::Outcome<std::optional<recipes::Grant>> acquire(recipes::Request request, std::stop_token stop) override {
        const Nanos giveUpAt = laterBy(m_runtime.monotonic(), request.wait);
        for (endLease(); !free(request); endLease()) {
            if (m_runtime.monotonic() >= giveUpAt) co_return std::nullopt;
            co_await m_runtime.sleep(1ms, stop);
        }
        co_return enter(request);
    }
    recipes::Outcome<bool> renew(recipes::Grant grant, std::stop_token) override {
        endLease();
        ++m_server.renewals;
        m_server.leasesAsked.push_back(grant.lease);
        const bool mine = m_server.counts[{grant.thread, grant.mode}] > 0;
        if (mine && m_server.expires) m_server.writerUntil = m_runtime.monotonic() + grant.lease;
        co_return mine;
    }
    recipes::Outcome<recipes::HoldNews> news(recipes::Grant, std::stop_token stop) override {
        ++m_server.newsAsked;
        co_await m_server.newsCame.acquire(m_runtime, kNever, stop);
        const recipes::HoldNews news = m_server.news.front();
        m_server.news.pop_front();
        co_return news;
    }
    Nanos newsRest() const override { return m_server.newsRest; }
    CallList::Registration onReconnect(CallList::Callback ask) override {
        return m_server.reconnects.add(std::move(ask));
    }
    bool listens() const override { return m_server.tellsOfForce; }
    recipes::Outcome<void> listen(recipes::Grant, CallList::Callback ask, std::stop_token stop) override {
        m_server.listeners.push_back(std::move(ask));
        co_await m_runtime.sleep(kNever, stop);
        co_return {};
    }
    recipes::Outcome<int> release(recipes::Grant grant, std::stop_token) override {
        if (m_server.releaseTakes > Nanos(0)) co_await m_runtime.sleep(m_server.releaseTakes);
        endLease();
        m_server.released.push_back(grant);
        if (m_server.counts[{grant.thread, grant.mode}] <= 0)
            co_return std::unexpected(LockError{LockError::Kind::NotOwner, {}});
        int& count = m_server.counts[{grant.thread, grant.mode}];
        count -= grant.mode == recipes::Mode::Permit ? grant.permits : 1;
        if (grant.mode == recipes::Mode::Permit) {
            m_server.inUse -= grant.permits;
        } else if (grant.mode == recipes::Mode::Shared) {
            --m_server.readers;
        } else if (count == 0) {
            m_server.writer = false;
        }
        co_return count;
    }
    recipes::Outcome<bool> forceRelease(std::stop_token) override {
        endLease();
        const bool held = m_server.writer || m_server.readers > 0 || m_server.inUse > 0;
        m_server.counts.clear();
        m_server.writer = false;
        m_server.readers = m_server.inUse = 0;
        co_return held;
    }
    recipes::Outcome<bool> isLocked(std::stop_token) override {
        if (m_server.answerTakes > Nanos(0)) co_await m_runtime.sleep(m_server.answerTakes);
        endLease();
        co_return m_server.writer || m_server.readers > 0 || m_server.inUse > 0;
    }

private:
    void endLease() {
        if (!m_server.expires || !m_server.writer || m_runtime.monotonic() < m_server.writerUntil) return;
        m_server.counts.clear();
        m_server.writer = false;
    }
    bool free(const recipes::Request& request) const {
        using recipes::Mode;
        const auto mine = [&](Mode mode) {
            const auto found = m_server.counts.find({request.thread, mode});
            return found != m_server.counts.end() && found->second > 0;
        };
        if (request.mode == Mode::Permit) return m_server.inUse + request.permits <= m_server.permits;
        if (mine(Mode::Exclusive)) return true; // a writer may re-enter, and read
        if (request.mode == Mode::Shared) return !m_server.writer;
        return !m_server.writer && m_server.readers == 0;
    }
    recipes::Grant enter(const recipes::Request& request) {
        using recipes::Mode;
        int& count = m_server.counts[{request.thread, request.mode}];
        count += request.mode == Mode::Permit ? request.permits : 1;
        if (request.mode == Mode::Permit) m_server.inUse += request.permits;
        if (request.mode == Mode::Shared) ++m_server.readers;
        if (request.mode == Mode::Exclusive) {
            m_server.writer = true;
            m_server.writerUntil = m_runtime.monotonic() + request.lease;
        }
        recipes::Grant grant;
        grant.thread = request.thread;
        grant.askedAt = m_runtime.monotonic();
        grant.lease = m_server.info.heldBy == recipes::HeldBy::Lease ? request.lease : m_server.lease;
        grant.holds = request.mode == Mode::Permit ? 1 : count;
        grant.mode = request.mode;
        grant.permits = request.permits;
        return grant;
    }
    Runtime& m_runtime;
    PretendServer& m_server;
};

/// A client of such a server in virtual time, with its trace.
struct PretendWorld {
    explicit PretendWorld(recipes::HeldBy heldBy, HoldOptions options = {}) {
        server.info.id = "pretend";
        server.info.backend = "test";
        server.info.heldBy = heldBy;
        server.info.reentrant = server.info.shared = server.info.permits = true;
        server.info.watchdog = heldBy == recipes::HeldBy::Lease;
        lock = std::make_unique<DistributedLock>(LockClient{runtime, "client", &recorder, client},
                                                 std::make_unique<PretendRecipe>(runtime, server), options, entity);
        lock->listen([this](DistributedLock::Event event, const QByteArray&, const QString& reason) {
            heard.emplace_back(event, reason);
        });
    }
    ~PretendWorld() {
        lock.reset();
        runtime.kill();
    }
    PretendWorld(const PretendWorld&) = delete;
    PretendWorld& operator=(const PretendWorld&) = delete;

    void run(Nanos duration) { scheduler.runUntil(scheduler.now() + duration); }
    /// Takes it as asked, which the test knows to be possible at once.
    bool take(LockRequest request) {
        bool taken = false;
        runtime.spawn([&]() -> QCoro::Task<> {
            const auto outcome = co_await lock->take(request);
            taken = outcome && *outcome;
        });
        run(Nanos(0));
        return taken;
    }
    bool take(recipes::Mode mode, const QByteArray& thread = "1", int permits = 1) {
        LockRequest request;
        request.mode = mode;
        request.thread = thread;
        request.permits = permits;
        request.wait = Nanos(0);
        return take(request);
    }
    std::expected<int, LockError> unlock(recipes::Mode mode, const QByteArray& thread = "1") {
        std::expected<int, LockError> left = -1;
        runtime.spawn([&]() -> QCoro::Task<> { left = co_await lock->unlock(thread, mode); });
        run(Nanos(0));
        return left;
    }
    std::vector<trace::Event> events(trace::EventKind kind) const {
        std::vector<trace::Event> found;
        for (std::size_t i = 0; i < trace->size(); ++i) {
            if (trace->kindAt(i) == kind) found.push_back(trace->at(i));
        }
        return found;
    }
    int told(DistributedLock::Event event) const {
        return static_cast<int>(std::ranges::count(heard, event, &std::pair<DistributedLock::Event, QString>::first));
    }

    VirtualScheduler scheduler;
    std::shared_ptr<trace::Trace> trace = std::make_shared<trace::Trace>();
    trace::Recorder recorder{trace, [this] { return scheduler.now(); }};
    trace::EntityId client = trace->intern(trace::EntityKind::Client, "A");
    trace::EntityId entity = trace->intern(trace::EntityKind::Lock, "orders");
    VirtualRuntime runtime{scheduler, 1};
    PretendServer server;
    std::unique_ptr<DistributedLock> lock;
    std::vector<std::pair<DistributedLock::Event, QString>> heard;
};

} // namespace lockscope::tests
