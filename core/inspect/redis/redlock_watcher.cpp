// SPDX-License-Identifier: Apache-2.0
#include "inspect/redis/redlock_watcher.h"

#include "inspect/redis/joined_report.h"
#include "inspect/redis/majority.h"
#include "inspect/row_named.h"
#include "runtime/waits_here.h"

#include <QCoreApplication>
#include <algorithm>
#include <set>

namespace lockscope::inspect {

namespace {

struct Text {
    Q_DECLARE_TR_FUNCTIONS(Watcher)
};

constexpr Nanos kTogether = 100ms;  // servers hear of a lock shortly after each other: that is one report
constexpr Nanos kLookAgain = 1s;    // at the states of connections, which no report tells
constexpr int kShareOfMerging = 10; // joining the reports of many locks takes such a part of the time at most
constexpr int kLooksToBelieve = 2;  // a look under way may have passed a key by before it was asked for

} // namespace

/// One server, and what is known of it.
struct RedlockWatcher::Server {
    QByteArray address; ///< "host:port"
    std::unique_ptr<redis::Client> client;
    std::unique_ptr<RedisWatcher> watcher;
    std::stop_source stop;
    std::optional<LockReport> last; ///< missing: it cannot be read now, or has told nothing yet
    std::optional<WatchTrouble> trouble;
    std::vector<ServerEvent> events;       ///< not told yet
    std::map<QByteArray, int> looksToCome; ///< until locks that it does not have, and others do, are free here

    bool lost = false; ///< its connection broke, and it has told nothing since
    QString lostBy;    ///< the last error of its connection, which a new try leaves unsaid

    bool isAway() const {
        using State = WatchStatus::State;
        // A broken connection shows at once, and in a report only at the next look.
        const State state = watcher->status().state;
        return trouble || lost || state == State::Retrying || state == State::Failed;
    }
    /// Why it cannot be read; empty: it can.
    QString why() const {
        if (trouble) return trouble->message;
        if (!isAway()) return {};
        const QString now = watcher->status().trouble;
        return now.isEmpty() ? lostBy : now;
    }
};

RedlockWatcher::RedlockWatcher(Runtime& runtime, const ConnectionUrl& url, QString where, const redis::Dialler& dial,
                               const WatchOptions& options)
    : m_runtime(runtime), m_where(std::move(where)) {
    Q_ASSERT(url.service == Service::Redlock && !url.endpoints.empty());
    for (const Endpoint& at : url.endpoints) {
        ConnectionUrl one = url;
        one.service = Service::Redis;
        one.scheme = url.tls ? QStringLiteral("rediss") : QStringLiteral("redis");
        one.endpoints = {at};
        auto server = std::make_shared<Server>();
        server->address = at.display().toUtf8();
        server->client = dial(runtime, one, redis::DriverOptions());
        server->watcher = std::make_unique<RedisWatcher>(*server->client, options);
        server->watcher->onStatus([this, its = server.get()] {
            if (const QString why = its->watcher->status().trouble; !why.isEmpty()) its->lostBy = why;
            // While it is connected to again it is as far away as before.
            if (its->last && its->watcher->status().state != WatchStatus::State::Connected) its->lost = true;
            if (m_onStatus) m_onStatus();
            wake();
        });
        m_servers.push_back(std::move(server));
    }
}

RedlockWatcher::~RedlockWatcher() {
    for (const auto& server : m_servers)
        server->watcher->onStatus([] {});
}

void RedlockWatcher::onStatus(std::function<void()> callback) {
    m_onStatus = std::move(callback);
}

QCoro::Task<std::expected<void, WatchTrouble>> RedlockWatcher::open(std::stop_token stop) {
    m_tried = true;
    std::vector<QCoro::Task<std::expected<void, WatchTrouble>>> tries; // at once: those that are away take their time
    for (const auto& server : m_servers)
        tries.push_back(server->watcher->open(stop));
    for (std::size_t i = 0; i < tries.size(); ++i) {
        auto opened = co_await tries[i];
        m_servers[i]->trouble.reset();
        m_servers[i]->lost = false;
        if (!opened) m_servers[i]->trouble = std::move(opened.error());
    }
    if (readableServers() >= quorum()) co_return std::expected<void, WatchTrouble>();
    co_return std::unexpected(*trouble().trouble);
}

QCoro::Task<LockReport> RedlockWatcher::once(std::stop_token stop, Callback progress) {
    m_tried = true;
    std::vector<QCoro::Task<LockReport>> looks; // at once: a lock is to be seen at one time
    for (const auto& server : m_servers) {
        const Callback silent;
        looks.push_back(server->watcher->once(stop, looks.empty() ? progress : silent));
    }
    for (std::size_t i = 0; i < looks.size(); ++i) {
        LockReport its = co_await looks[i];
        Server& server = *m_servers[i];
        server.looksToCome.clear();
        server.trouble = its.trouble;
        server.lost = false;
        server.last.reset();
        if (!its.trouble) server.last = std::move(its);
    }
    if (readableServers() < quorum()) {
        LockReport report = trouble();
        co_return report;
    }
    LockReport report = merged();
    m_lastAt = report.at;
    m_lastLocks = report.locks;
    co_return report;
}

void RedlockWatcher::startFollowing(const ServerPtr& server) {
    server->stop = std::stop_source();
    server->last.reset();
    server->trouble.reset();
    server->lost = false;
    server->looksToCome.clear();
    const auto told = [this, its = server.get()](const LockReport& report) {
        if (!its->stop.stop_requested()) heard(*its, report); // else this watcher may be gone
    };
    m_runtime.spawn([server, told] { return follow(server, told); });
}

QCoro::Task<> RedlockWatcher::follow(ServerPtr server, Callback told) {
    co_await server->watcher->watch(std::move(told), server->stop.get_token());
}

void RedlockWatcher::doubt(Server& server, const LockRow& seenElsewhere) {
    server.looksToCome[seenElsewhere.name] = kLooksToBelieve;
    server.watcher->expect({seenElsewhere});
    server.watcher->lookSoon();
}

void RedlockWatcher::heard(Server& server, LockReport report) {
    if (report.trouble) {
        server.trouble = std::move(report.trouble);
        server.last.reset();
        return told();
    }
    server.trouble.reset();
    server.lost = false;
    server.events.insert(server.events.end(), report.events.begin(), report.events.end());
    const bool first = !server.last;
    static const std::vector<LockRow> kNone;
    const std::vector<LockRow>& before = first ? kNone : server.last->locks;
    for (auto& [name, looks] : server.looksToCome)
        --looks;
    std::erase_if(server.looksToCome,
                  [&](const auto& each) { return each.second <= 0 || rowNamed(report.locks, each.first); });
    if (!server.looksToCome.empty()) server.watcher->lookSoon();
    for (const auto& other : m_servers) {
        if (other.get() == &server) continue;
        for (const LockRow& row : report.locks)
            if (!rowNamed(before, row.name) && !(other->last && rowNamed(other->last->locks, row.name)))
                doubt(*other, row);
        if (!first || !other->last) continue;
        for (const LockRow& row : other->last->locks)
            if (!rowNamed(report.locks, row.name)) doubt(server, row);
    }
    server.last = std::move(report);
    told();
}

void RedlockWatcher::lookSoon() {
    for (const ServerPtr& server : m_servers)
        server->watcher->lookSoon();
}

void RedlockWatcher::told() {
    m_news = true;
    wake();
}

std::size_t RedlockWatcher::readableServers() const {
    return std::size_t(std::ranges::count_if(m_servers, [](const auto& server) { return !server->isAway(); }));
}

void RedlockWatcher::describe(LockReport& report) const {
    report.together = true;
    report.at = m_runtime.monotonic();
    report.wallMs = m_runtime.wallMs();
    const WatchLoad spent = load();
    report.commands = spent.requests;
    report.serverTime = spent.serverTime;
    for (const auto& server : m_servers) {
        report.servers.push_back({server->address, {}, server->why()});
        if (server->isAway() || !server->last) continue;
        report.servers.back().identity = server->last->server;
        report.servers.back().lookedAt = server->last->knownUntil();
        report.connections += server->last->connections;
    }
    report.server = identity();
}

LockReport RedlockWatcher::trouble() const {
    LockReport report;
    describe(report);
    report.locks = m_lastLocks;
    QStringList away;
    WatchTrouble::Kind kind = WatchTrouble::Kind::Refused;
    for (const auto& server : m_servers) {
        if (!server->isAway()) continue;
        away << server->why();
        const bool refused = server->trouble && server->trouble->kind != WatchTrouble::Kind::Unreachable;
        if (!refused) kind = WatchTrouble::Kind::Unreachable;
    }
    //: After the colon, one sentence a server says why it cannot be read.
    report.trouble = WatchTrouble{kind,
                                  {},
                                  Text::tr("Only %1 of the %2 servers of this Redlock can be read, and it takes %3 to "
                                           "know who holds a lock: %4")
                                      .arg(readableServers())
                                      .arg(m_servers.size())
                                      .arg(quorum())
                                      .arg(away.join(QStringLiteral(" · ")))};
    return report;
}

LockReport RedlockWatcher::merged() {
    LockReport all;
    describe(all);
    all.complete = all.hearsOfChanges = true;
    all.keysThere = 0;
    std::set<QByteArray> names;
    std::vector<const LockReport*> reports; // nullptr: this server cannot be read
    for (const auto& server : m_servers) {
        reports.push_back(server->last && !server->isAway() ? &*server->last : nullptr);
        if (!reports.back()) continue;
        join(all, *server->last);
        for (const LockRow& row : server->last->locks)
            names.insert(row.name);
        if (server->events.empty()) continue;
        std::ranges::move(server->events, std::back_inserter(all.events));
        server->events.clear();
        all.eventsAt.push_back(server->address);
    }
    const bool someAway = std::ranges::find(reports, nullptr) != reports.end();
    const bool someWereAway = std::exchange(m_someWereAway, someAway);
    const bool allStay = !someAway && !someWereAway && all.events.empty();
    for (const LockRow& row : m_lastLocks) // it may be between two hands, on no server at the moment
        if (std::ranges::any_of(m_servers, [&](const auto& one) { return one->looksToCome.contains(row.name); }))
            names.insert(row.name);
    for (const QByteArray& name : names) {
        std::vector<LockRow> copies;
        bool anywhere = false;
        for (std::size_t i = 0; i < m_servers.size(); ++i) {
            const LockReport* const its = reports[i];
            const LockRow* const found = its ? rowNamed(its->locks, name) : nullptr;
            LockRow& copy = copies.emplace_back();
            if (found) copy = *found;
            anywhere = anywhere || found;
            copy.name = name;
            copy.server = m_servers[i]->address;
            if (!its || (!found && m_servers[i]->looksToCome.contains(name))) copy.state = LockRow::State::NotKnown;
            if (its) runDown(copy, all.at - its->at);
        }
        LockRow row = logicalRow(std::move(copies), quorum());
        m_ends.settle(row, all.at);
        if (!anywhere && row.state == LockRow::State::Free) continue; // no server has anything of it any more
        // Servers that answer hear of a hand-over shortly after each other: until all have been asked for the lock
        // again, it is as it was, unless one of them was away or has started anew.
        const bool settling = row.state == LockRow::State::NotKnown && allStay;
        if (!settling) {
            all.locks.push_back(std::move(row));
            continue;
        }
        const LockRow* const before = rowNamed(m_lastLocks, name);
        if (!before || before->state == LockRow::State::NotKnown) {
            if (before) all.locks.push_back(std::move(row));
            continue;
        }
        all.locks.push_back(*before);
        runDown(all.locks.back(), all.at - m_lastAt);
    }
    m_ends.keepOnly(names);
    return all;
}

QCoro::Task<> RedlockWatcher::watch(Callback callback, std::stop_token stop) {
    struct Ending {
        RedlockWatcher& all;
        ~Ending() {
            for (const auto& server : all.m_servers)
                server->stop.request_stop();
        }
    } const ending{*this};
    m_tried = true;
    for (const auto& server : m_servers)
        startFollowing(server);
    const auto everyServerTold = [this] {
        return std::ranges::all_of(m_servers, [](const auto& server) { return server->last || server->isAway(); });
    };
    std::vector<bool> awayThen;
    bool troubled = false;
    Nanos mergeDue{};
    for (;;) {
        std::vector<bool> away;
        for (const auto& server : m_servers)
            away.push_back(server->isAway());
        if (std::exchange(awayThen, away) != away) m_news = true;
        const bool lacking = readableServers() < quorum();
        if (lacking && !troubled) callback(trouble());
        troubled = lacking;
        m_someWereAway = m_someWereAway || lacking;
        const Nanos now = m_runtime.monotonic();
        if (lacking || !m_news || !everyServerTold()) {
            mergeDue = std::max(mergeDue, now + kTogether);
            co_await pause(kLookAgain, stop);
            continue;
        }
        if (now < mergeDue) {
            co_await pause(mergeDue - now, stop);
            continue;
        }
        m_news = false;
        LockReport report = merged();
        callback(report);
        m_lastAt = report.at;
        m_lastLocks = std::move(report.locks);
        mergeDue = m_runtime.monotonic() + std::max(kTogether, (m_runtime.monotonic() - now) * kShareOfMerging);
    }
}

void RedlockWatcher::wake() {
    if (m_pausing) m_pausing->wake();
}

QCoro::Task<> RedlockWatcher::pause(Nanos longest, std::stop_token stop) {
    Waiter waiter(m_runtime, longest, std::move(stop));
    const WaitsHere here(m_pausing, waiter);
    co_await waiter.end();
}

WatchStatus RedlockWatcher::status() const {
    using State = WatchStatus::State;
    if (!m_tried) return {State::Idle, Text::tr("%1 · not connected").arg(m_where), {}};
    const auto connected = std::size_t(std::ranges::count_if(
        m_servers, [](const auto& server) { return server->watcher->status().state == State::Connected; }));
    if (connected >= quorum()) {
        const std::size_t answering = readableServers();
        if (answering == m_servers.size()) return {State::Connected, Text::tr("%1 · connected").arg(m_where), {}};
        //: %1 is the addresses of a Redlock's servers, %2 how many of them answer, %3 how many there are.
        const QString text = Text::tr("%1 · %2 of %3 servers answer, still a majority");
        return {State::Connected, text.arg(m_where).arg(answering).arg(m_servers.size()), {}, true};
    }
    if (readableServers() >= quorum()) return {State::Connecting, Text::tr("%1 · connecting").arg(m_where), {}};
    const WatchTrouble why = *trouble().trouble;
    const bool final = why.kind != WatchTrouble::Kind::Unreachable;
    return {final ? State::Failed : State::Retrying, QStringLiteral("%1 · %2").arg(m_where, why.message), why.message};
}

WatchLoad RedlockWatcher::load() const {
    return loadOf(m_servers);
}

std::optional<ServerIdentity> RedlockWatcher::identity() const {
    return identityOf(m_servers);
}

const LockRow* RedlockWatcher::lastSeen(const QByteArray& lockName) const {
    return rowNamed(m_lastLocks, lockName);
}

} // namespace lockscope::inspect
