// SPDX-License-Identifier: Apache-2.0
#include "inspect/looking_watcher.h"

#include "inspect/lock_change.h"
#include "inspect/row_named.h"
#include "inspect/shared_rows.h"
#include "runtime/waits_here.h"

#include <QCoreApplication>
#include <algorithm>

namespace lockscope::inspect {

namespace {

struct Text {
    Q_DECLARE_TR_FUNCTIONS(Watcher)
};

constexpr auto kLoadWindow = 10s;
constexpr auto kProgressEvery = 1s;

Nanos scaled(Nanos time, double factor) {
    return std::chrono::duration_cast<Nanos>(std::chrono::duration<double, std::nano>(double(time.count()) * factor));
}

} // namespace

LookingWatcher::LookingWatcher(Runtime& runtime, QString where, WatchOptions options)
    : m_runtime(runtime), m_where(std::move(where)), m_options(std::move(options)) {
}

const LockRow* LookingWatcher::lastSeen(const QByteArray& lockName) const {
    return rowNamed(m_lastLocks, lockName);
}

WatchStatus LookingWatcher::status() const {
    using State = WatchStatus::State;
    const QString text = m_state == State::Idle         ? Text::tr("%1 · not connected")
                         : m_state == State::Connecting ? Text::tr("%1 · connecting")
                         : m_state == State::Connected  ? Text::tr("%1 · connected")
                                                        : QStringLiteral("%1 · %2");
    if (m_state == State::Connected && m_away > 0) {
        //: %1 is the addresses of an ensemble's servers, %2 how many of them answer, %3 how many there are.
        const QString part = Text::tr("%1 · %2 of %3 servers answer, still a majority");
        return {m_state, part.arg(m_where).arg(m_servers - m_away).arg(m_servers), {}, true};
    }
    const bool why = m_state == State::Retrying || m_state == State::Failed;
    return {m_state, why ? text.arg(m_where, m_trouble) : text.arg(m_where), m_trouble};
}

void LookingWatcher::tell(WatchStatus::State state, QString trouble) {
    if (m_state == state && m_trouble == trouble) return;
    if (state == WatchStatus::State::Connected && m_state != state) ++m_connections;
    m_state = state;
    m_trouble = std::move(trouble);
    if (m_onStatus) m_runtime.post(m_onStatus);
}

QCoro::Task<std::expected<void, WatchTrouble>> LookingWatcher::open(std::stop_token stop) {
    tell(WatchStatus::State::Connecting);
    auto connected = co_await connect(std::move(stop));
    if (connected) {
        tell(WatchStatus::State::Connected);
    } else {
        const bool final = connected.error().kind != WatchTrouble::Kind::Unreachable;
        tell(final ? WatchStatus::State::Failed : WatchStatus::State::Retrying, connected.error().message);
    }
    co_return connected;
}

QCoro::Task<> LookingWatcher::news(Nanos longest, std::stop_token stop) {
    // A server of this kind tells nobody of changes: the next look is the news.
    co_await rest(longest, std::move(stop));
}

QCoro::Task<> LookingWatcher::rest(Nanos time, std::stop_token stop) {
    if (m_soon) co_return;
    Waiter waiter(m_runtime, time, std::move(stop));
    const WaitsHere here(m_resting, waiter);
    co_await waiter.end();
}

void LookingWatcher::lookSoon() {
    m_soon = true;
    if (m_resting) m_resting->wake();
}

std::optional<Nanos> LookingWatcher::unansweredSince() {
    // A further request follows an answer, unless the one before had none: then an answer is awaited still.
    const bool asksOn = std::exchange(m_requestsThen, requests()) != requests();
    if (m_askedSince && asksOn && !m_unanswered) m_askedSince = m_runtime.monotonic();
    return m_askedSince;
}

void LookingWatcher::spent(Nanos time) {
    m_serverTime = std::max(m_serverTime + (time > 0ns ? m_cost.charged(time) : time), m_spentBefore);
}

void LookingWatcher::beginShare() {
    m_shareSince = m_runtime.monotonic();
    m_spentBefore = m_serverTime;
}

QCoro::Task<> LookingWatcher::keepShare(double share, std::stop_token stop) {
    const Nanos until = m_shareSince + scaled(m_serverTime - m_spentBefore, 1 / share);
    const Nanos rest = until - m_runtime.monotonic();
    // The server rests for as long as the looks so far have cost too much of its time.
    if (rest <= 0ns) co_return;
    const bool asked = !m_unanswered && std::exchange(m_askedSince, std::nullopt).has_value();
    co_await m_runtime.sleep(rest, std::move(stop));
    if (asked) m_askedSince = m_runtime.monotonic();
}

QCoro::Task<LockReport> LookingWatcher::once(std::stop_token stop, Callback progress) {
    Nanos told = m_runtime.monotonic();
    const Progress said = [&](std::int64_t passed, std::int64_t there) {
        if (!progress || m_runtime.monotonic() - told < kProgressEvery) return;
        told = m_runtime.monotonic();
        LockReport sofar;
        describe(sofar);
        sofar.keysPassed = passed;
        sofar.keysThere = there;
        progress(sofar);
    };
    LockReport whole = co_await report(Depth::Everything, said, std::move(stop));
    co_return whole;
}

QCoro::Task<LockReport> LookingWatcher::report(Depth depth, Progress progress, std::stop_token stop) {
    if (m_state == WatchStatus::State::Idle) tell(WatchStatus::State::Connecting);
    beginShare();
    const Nanos began = m_runtime.monotonic();
    const AnswerCost costBefore = m_cost;
    if (!m_unanswered) m_askedSince = began;
    auto found = co_await look(depth, std::move(progress), std::move(stop));
    m_unanswered = !found && found.error().kind == WatchTrouble::Kind::Unreachable;
    if (!m_unanswered) m_askedSince.reset();
    LockReport report;
    if (!found) {
        m_serverTime = m_spentBefore; // waiting for an answer that does not come costs the server nothing
        m_cost = costBefore;          // and teaches nothing
        const bool final = found.error().kind != WatchTrouble::Kind::Unreachable;
        tell(final ? WatchStatus::State::Failed : WatchStatus::State::Retrying, found.error().message);
        report.trouble = std::move(found.error());
        report.locks = m_lastLocks;
        describe(report);
        co_return report;
    }
    tell(WatchStatus::State::Connected);
    const Nanos now = m_runtime.monotonic();
    report.events = std::move(found->events);
    report.eventsAt = std::move(found->eventsAt);
    report.outlivesRestarts = found->outlivesRestarts;
    if (found->server) {
        const bool compares = m_server && report.events.empty(); // else the look has compared by itself
        const auto event = compares ? changeOf(*m_server, *found->server, now - m_serverAt) : std::nullopt;
        if (event) report.events.push_back(*event);
        m_server = std::move(found->server);
        m_serverAt = now;
    }
    report.locks = std::move(found->locks);
    std::erase_if(report.locks, [this](const LockRow& row) { return !m_options.names.wants(row.name); });
    std::ranges::stable_sort(report.locks, {}, &LockRow::name);
    describe(report);
    report.began = began;
    report.servers = std::move(found->servers);
    m_servers = int(report.servers.size());
    m_away = int(std::ranges::count_if(report.servers, [](const auto& server) { return !server.trouble.isEmpty(); }));
    report.hearsOfChanges = hearsOfChanges();
    report.complete = found->complete;
    report.keysSeen = found->looked;
    report.keysPassed = found->passed;
    report.keysThere = found->there;
    for (const WatchNote& note : found->notes)
        if (note.kind == WatchNote::Kind::KeysRefused) report.keysRefused += note.count;
    std::ranges::move(found->notes, std::back_inserter(report.notes));
    co_return report;
}

void LookingWatcher::describe(LockReport& report) {
    report.at = m_runtime.monotonic();
    report.wallMs = m_runtime.wallMs();
    report.server = m_server;
    if (m_server) report.notes = notesOn(*m_server);
    report.connections = m_connections;
    report.commands = requests();
    report.serverTime = m_serverTime;
    m_sent.emplace_back(report.at, requests());
    while (m_sent.size() > 2 && report.at - m_sent.front().first > kLoadWindow)
        m_sent.pop_front();
    const double seconds = std::chrono::duration<double>(report.at - m_sent.front().first).count();
    if (seconds > 0) report.commandsPerSecond = double(requests() - m_sent.front().second) / seconds;
}

QCoro::Task<> LookingWatcher::watch(Callback callback, std::stop_token stop) {
    Nanos period = m_options.shortestPeriod;
    bool troubled = false, complete = false;
    const Progress silent; // named: GCC 12 cannot make it within an await
    for (;;) {
        m_soon = false;
        const Nanos began = m_runtime.monotonic(), spentBefore = m_serverTime;
        const double share = complete ? m_options.share : std::max(m_options.share, m_options.firstShare);
        LockReport seen = co_await report(Depth::Slice, silent, stop);
        if (!seen.trouble) shareUnchanged(seen.locks, m_lastLocks);
        const bool changed = seen.trouble || changedBesidesTime(m_lastLocks, seen.locks);
        period = changed ? m_options.shortestPeriod : std::min(period * 3 / 2, m_options.longestPeriod);
        // The budget comes last: what costs much is looked at less often.
        Nanos affordable = scaled(m_serverTime - spentBefore, 1 / share);
        if (seen.trouble) { // a question that was not answered in time may still keep the server busy
            const Nanos took = m_runtime.monotonic() - began;
            affordable = took + std::min(took, m_options.longestPeriod);
        }
        seen.period = std::max(period, affordable);
        if (!(seen.trouble && troubled)) callback(seen);
        troubled = seen.trouble.has_value();
        complete = seen.complete;
        if (!troubled) m_lastLocks = std::move(seen.locks);
        constexpr Nanos kTogether = 20ms; // changes that come together are one report
        const Nanos soonest = began + std::max(affordable, kTogether);
        if (m_runtime.monotonic() < soonest) co_await rest(soonest - m_runtime.monotonic(), stop);
        if (!troubled && !complete) continue;
        const Nanos left = began + seen.period - m_runtime.monotonic();
        // Nobody tells of news while there is no connection.
        if (troubled)
            co_await rest(std::max<Nanos>(left, m_options.shortestPeriod), stop);
        else if (!m_soon)
            co_await news(std::max<Nanos>(left, 1ms), stop);
    }
}

} // namespace lockscope::inspect
