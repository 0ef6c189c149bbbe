// SPDX-License-Identifier: Apache-2.0
#include "sim/zookeeper/line.h"

#include "sim/probe.h"
#include "sim/zookeeper/server.h"

#include <algorithm>

namespace lockscope::sim {

namespace {

using State = zookeeper::Session::State;
using zookeeper::WatchEvent;
using Kind = ZkRequest::Kind;

/// As the driver's and the C client's.
constexpr Nanos kFirstRest = 10ms, kLongestRest = 100ms;
constexpr Nanos kFirstPatience = 1s, kLongestPatience = 3s;
constexpr Nanos kCloseWaits = 500ms;

QString whereOf(const ConnectionUrl& url) {
    QStringList all;
    for (const Endpoint& endpoint : url.endpoints)
        all += endpoint.display();
    return all.join(u',') + url.path;
}

zookeeper::DriverOptions withUrlsTimes(const ConnectionUrl& url, zookeeper::DriverOptions options) {
    url.takeTime("connect", options.connect);
    return options;
}

} // namespace

ZkLine::ZkLine(Grounds grounds, Lookup lookup, Runtime& r, trace::EntityId client, const ConnectionUrl& u,
               zookeeper::DriverOptions o)
    : runtime(r),
      url(u),
      options(withUrlsTimes(u, std::move(o))),
      where(whereOf(u)),
      chroot(u.path.toUtf8()),
      m_grounds(grounds),
      m_lookup(std::move(lookup)),
      m_client(client),
      m_inbox(r) {
    m_longestPatience = std::min<Nanos>(options.session * 2 / 3, kLongestPatience);
    m_patience = std::min(kFirstPatience, m_longestPatience);
}

QByteArray ZkLine::full(const QByteArray& path) const {
    if (chroot.isEmpty()) return path;
    return path == "/" ? chroot : chroot + path;
}

QByteArray ZkLine::own(const QByteArray& fullPath) const {
    if (chroot.isEmpty() || !fullPath.startsWith(chroot)) return fullPath;
    return fullPath.size() == chroot.size() ? QByteArray("/") : fullPath.mid(chroot.size());
}

ZkAcl ZkLine::acl() const {
    using zookeeper::Acl;
    const ZkAclLine creators{ZkPermission::kAll, "auth", ""};
    switch (options.acl.value_or(url.user.isEmpty() ? Acl::Open : Acl::Creator)) {
    case Acl::Creator:
        return {creators};
    case Acl::Read:
        return {creators, {ZkPermission::kRead, "world", "anyone"}};
    case Acl::Open:
        break;
    }
    return {ZkAclLine{}};
}

void ZkLine::start() {
    if (m_running || !runtime.alive()) return;
    m_running = true;
    m_stop = std::stop_source();
    m_refused = false;
    if (session.state == State::Failed) session.state = State::None;
    if (m_servers.empty()) {
        for (const Endpoint& endpoint : url.endpoints) {
            ZkServer* const server = m_lookup(endpoint);
            m_unresolved = m_unresolved || !server;
            if (server) m_servers.emplace_back(server, &m_grounds.network.between(m_client, server->entity()));
        }
        // Clients spread over the servers.
        for (std::size_t i = m_servers.size(); i > 1; --i)
            std::swap(m_servers[i - 1], m_servers[std::size_t(runtime.random() % i)]);
    }
    runtime.spawn([self = shared_from_this(), token = m_stop.get_token()] { return pulse(self, token); });
}

void ZkLine::stop() {
    m_stop.request_stop();
    m_running = m_closing = false;
    const bool connected = m_socket && session.state == State::Connected && runtime.alive();
    const bool fresh = connected && runtime.monotonic() - session.answeredAt < session.timeout / 3;
    if (fresh && m_flight.empty()) {
        ZkRequest farewell;
        farewell.kind = Kind::EndSession;
        m_socket->ask(0, farewell);
    }
    endSession(SessionEnd::ByClient);
}

QCoro::Task<> ZkLine::close(std::shared_ptr<ZkLine> self) {
    const Nanos begun = self->runtime.monotonic();
    self->m_closing = true;
    if (self->session.state == State::Connected) self->suspend(); // later calls wait, so that those in flight end
    while (!self->m_flight.empty()) {
        const Nanos left = kCloseWaits - (self->runtime.monotonic() - begun);
        if (left <= Nanos(0)) break;
        co_await self->m_settled.acquire(self->runtime, left);
    }
    if (self->m_socket && self->session.state == State::Suspended) {
        const Completion<bool> ended;
        ZkRequest farewell;
        farewell.kind = Kind::EndSession;
        InFlight flight;
        flight.done = [ended](const Answer&) { ended.complete(true); };
        self->send(std::move(farewell), std::move(flight));
        const Nanos left = std::max(Nanos(0), kCloseWaits - (self->runtime.monotonic() - begun));
        co_await ended.wait(self->runtime, left);
    }
    self->stop();
}

QCoro::Task<> ZkLine::pulse(std::shared_ptr<ZkLine> self, std::stop_token stop) {
    for (;;) {
        const Nanos wait = self->turn();
        if (self->m_refused) { // until somebody asks again
            self->m_running = false;
            co_return;
        }
        if (!self->m_kick.tryAcquire()) { // in this frame: an idle client comes here twice a second
            SignalCount::Place place(self->m_kick, self->runtime, wait, stop);
            co_await place.end();
            (void)place.served();
        }
        self->m_kick.drain();
    }
}

Nanos ZkLine::turn() {
    const Nanos now = runtime.monotonic();
    if (m_ended || m_refused) {
        endSession(m_refused ? SessionEnd::Refused : SessionEnd::ByServer);
        if (m_refused) return kNever;
    }
    const bool known = session.state == State::Connected || session.state == State::Suspended;
    // Nothing heard of the leader for too long: it has ended the session, or may have.
    if (known && now >= session.until()) endSession(SessionEnd::ByClient);
    if (m_servers.empty() || m_closing) return kNever;
    const bool connected = session.state == State::Connected;
    if (connected && now - m_receivedAt >= session.timeout * 2 / 3) broken();
    if (m_socket && session.state != State::Connected && now >= m_triedAt + m_patience) {
        m_patience = std::min(2 * m_patience, m_longestPatience); // maybe it is just slow
        broken();
    }
    if (!m_socket) {
        if (now < m_restUntil) {
            const Nanos over = session.state == State::Suspended ? session.until() : kNever;
            return std::min(m_restUntil, over) - now;
        }
        connect();
    }
    if (session.state != State::Connected) {
        const Nanos over = session.state == State::Suspended ? session.until() : kNever;
        return std::max(std::min(m_triedAt + m_patience, over) - now, Nanos(0));
    }
    if (now >= m_proof.heardAt() + m_beatEvery) beat(now);
    if (m_flight.empty() && now - m_sentAt >= session.timeout / 3) ping(now);
    const Nanos nextBeat = m_beating ? m_beatEvery / 2 : std::max<Nanos>(m_proof.heardAt() + m_beatEvery - now, 1ms);
    Nanos wait = std::min(nextBeat, m_receivedAt + session.timeout * 2 / 3 - now);
    wait = std::min(wait, session.until() - now);
    return std::max(wait, Nanos(0));
}

void ZkLine::connect() {
    const auto [server, link] = m_servers[m_next];
    m_next = (m_next + 1) % m_servers.size();
    m_at = server;
    m_triedAt = runtime.monotonic();
    const std::weak_ptr<ZkLine> weak = weak_from_this();
    const auto with = [weak](auto work) {
        return [weak, work](const auto&... values) {
            const auto self = weak.lock();
            if (!self || !self->m_socket) return;
            if (self->m_inbox.doesAtOnce()) return work(*self, values...);
            self->m_inbox.arrived([weak, from = self->m_socket, work, ... kept = values] {
                const auto still = weak.lock();
                if (still && still->m_socket == from) work(*still, kept...);
            });
        };
    };
    ZkSocket::ClientEnd end;
    end.welcomed = with([](ZkLine& self, const ZkWelcome& welcome) { self.welcomed(welcome); });
    end.answered = with([](ZkLine& self, std::uint64_t number, const ZkReply& reply) { self.answered(number, reply); });
    end.told = with([](ZkLine& self, const ZkEvent& event) { self.told(event); });
    end.ended = with([](ZkLine& self) {
        self.broken();
        self.m_kick.release();
    });
    m_socket = std::make_shared<ZkSocket>(m_grounds, *link, m_client, *server, std::move(end));
    m_greetedAt = m_triedAt;
    if (!m_socket->possible()) return; // no handshake; given up after a while
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(options.session).count();
    m_socket->greet({m_seen, ms, session.id, m_password});
}

void ZkLine::welcomed(const ZkWelcome& welcome) {
    if (welcome.session == 0) {
        m_ended = true;
        m_kick.release();
        return;
    }
    const Nanos now = runtime.monotonic();
    const bool isNew = session.state == State::None || session.id != welcome.session;
    if (!isNew) reached(Probe::ZkSessionKept);
    session.id = welcome.session;
    m_password = welcome.password;
    session.timeout = std::chrono::milliseconds(welcome.timeoutMs);
    session.state = State::Connected;
    session.answeredAt = std::max(session.answeredAt, m_greetedAt);
    m_receivedAt = m_sentAt = now;
    m_patience = std::min(kFirstPatience, m_longestPatience);
    m_rest = Nanos(0);
    m_beatEvery = zookeeper::LeaderProof::beatPeriod(session.timeout);
    m_proof.greeted(m_greetedAt, now);
    if (!url.user.isEmpty()) {
        ZkRequest login;
        login.kind = Kind::Login;
        login.path = url.user.toUtf8() + ':' + url.password.toUtf8();
        m_socket->ask(0, login);
    }
    rewatch();
    if (isNew)
        session.provenAt = std::max(session.provenAt, m_greetedAt);
    else
        askQuorum();
    tellPhase(trace::SessionPhase::Connected);
    watches->tellSession(WatchEvent::Kind::Session);
    m_kick.release();
}

void ZkLine::rewatch() {
    if (m_armed.empty()) return;
    ZkRequest request;
    request.kind = Kind::Rewatch;
    request.rewatch.seen = m_seen;
    for (const auto& [id, armed] : m_armed) {
        auto& list = armed.table == Table::Data        ? request.rewatch.data
                     : armed.table == Table::Existence ? request.rewatch.existence
                                                       : request.rewatch.children;
        list.push_back(armed.path);
    }
    m_socket->ask(0, request);
}

void ZkLine::tellPhase(trace::SessionPhase phase) {
    m_grounds.recorder.emit(trace::EventKind::SessionChanged, m_client,
                            m_at && phase == trace::SessionPhase::Connected ? m_at->entity() : trace::kNoEntity,
                            std::int64_t(phase));
}

void ZkLine::broken() {
    if (!m_socket) return;
    m_socket->close();
    m_socket.reset();
    m_restUntil = runtime.monotonic() + m_rest;
    m_rest = std::clamp(2 * m_rest, kFirstRest, kLongestRest);
    if (session.state == State::Connected) suspend();
    fail(ZkCode::kConnectionLoss);
}

void ZkLine::fail(int code) {
    m_beating = false;
    for (auto& [number, flight] : std::exchange(m_flight, {})) {
        if (flight.watch) watches->settled(flight.watch, false);
        if (flight.done) flight.done(std::unexpected(code));
    }
    if (m_closing) m_settled.release();
}

void ZkLine::suspend() {
    session.state = State::Suspended;
    tellPhase(trace::SessionPhase::Suspended);
    watches->tellSession(WatchEvent::Kind::Suspended);
}

void ZkLine::endSession(SessionEnd why) {
    if (m_socket) m_socket->close();
    m_socket.reset();
    m_ended = false;
    m_armed.clear();
    const bool had = session.state == State::Connected || session.state == State::Suspended;
    session.state = why == SessionEnd::Refused ? State::Failed : State::None;
    session.id = 0;
    m_password = 0;
    m_seen = 0; // the next session is one of a new handle, which has seen nothing: any server lets it in
    m_proof.clear();
    if (had) {
        ++session.generation;
        session.provenAt = Nanos(0);
        if (runtime.alive())
            tellPhase(why == SessionEnd::ByClient ? trace::SessionPhase::GivenUp : trace::SessionPhase::Expired);
    }
    fail(ZkCode::kSessionExpired);
    watches->tellSession(had ? WatchEvent::Kind::Lost : WatchEvent::Kind::Session);
}

// --- calls ---

QCoro::Task<zookeeper::Result<void>> ZkLine::waitReady(std::shared_ptr<ZkLine> self, Nanos patience,
                                                       std::stop_token stop, std::uint64_t generation) {
    namespace errors = zookeeper::errors;
    self->start();
    const zookeeper::Watch news;
    self->watches->addSession(news);
    const Nanos begun = self->runtime.monotonic();
    for (;;) {
        if (self->isOver(generation)) co_return std::unexpected(errors::sessionLost(self->where));
        if (self->session.state == State::Connected) co_return zookeeper::Result<void>();
        if (self->session.state == State::Failed) co_return std::unexpected(errors::authFailed(self->where));
        if (self->stopped()) co_return std::unexpected(errors::goneAway(self->where));
        const Nanos now = self->runtime.monotonic();
        const bool suspended = self->session.state == State::Suspended;
        const Nanos sense = begun + self->options.connect;
        const Nanos end =
            std::min(suspended ? std::max(sense, self->session.until()) : sense, laterBy(begun, patience));
        if (now >= end) break;
        co_await news.next(self->runtime, end - now, stop);
    }
    if (self->m_servers.empty() && self->m_unresolved)
        co_return std::unexpected(errors::unresolved(self->url.endpoints.front().host));
    co_return std::unexpected(errors::unreachable(self->where));
}

QCoro::Task<zookeeper::Result<ZkReply>> ZkLine::ask(std::shared_ptr<ZkLine> self, Ask ask, std::stop_token stop) {
    namespace errors = zookeeper::errors;
    if (!zookeeper::validPath(ask.path)) co_return std::unexpected(errors::badPath(ask.path));
    if (self->isOver(ask.generation)) co_return std::unexpected(errors::sessionLost(self->where));
    if (self->m_grounds.network.strikes(self->m_client)) co_await Network::untilStruck(self->runtime);
    if (self->isOver(ask.generation)) co_return std::unexpected(errors::sessionLost(self->where));
    // No await when connected, so that requests are sent in the order of the calls.
    if (self->session.state != State::Connected || !self->runtime.alive() || stop.stop_requested()) {
        const zookeeper::Result<void> ready = co_await waitReady(self, kNever, stop, ask.generation);
        if (!ready) co_return std::unexpected(ready.error());
    }
    const std::uint64_t sentIn = self->session.generation;
    const Completion<Answer> completion;
    const auto abandoned = std::make_shared<bool>(false);
    InFlight flight;
    const Kind kind = ask.request.kind;
    flight.answeredBy = ask.request.changes() || kind == Kind::Sync ? By::Leader : By::Server;
    flight.path = ask.request.path;
    if (ask.watch) {
        using HubTable = zookeeper::WatchHub::Table;
        flight.table = kind == Kind::Get      ? HubTable::Data
                       : kind == Kind::Exists ? HubTable::Existence
                                              : HubTable::Children;
        flight.watch = self->watches->add(flight.table, ask.path, *ask.watch);
    }
    flight.done = [completion, abandoned, takeBack = ask.takeBack](const Answer& answer) {
        if (*abandoned && takeBack && answer && answer->code == ZkCode::kOk) takeBack(*answer);
        completion.complete(answer);
    };
    self->send(std::move(ask.request), std::move(flight));

    std::optional<Answer> answer;
    try {
        Completion<Answer>::Place place(completion, self->runtime, kNever, stop);
        co_await place.end();
        answer = completion.take();
    } catch (const Cancelled& cancelled) {
        if (cancelled.why() == Cancelled::Why::Killed) throw;
    }
    if (!answer) {
        *abandoned = true;
        std::optional<Answer> late; // may have come at the same moment
        if (completion.done()) late = co_await completion.wait(self->runtime);
        if (late && *late && (*late)->code == ZkCode::kOk && ask.takeBack && !self->isOver(sentIn))
            ask.takeBack(**late);
        throw Cancelled(Cancelled::Why::Stopped);
    }
    if (!*answer) co_return std::unexpected(errors::of(answer->error(), ask.what, ask.path, self->where));
    if ((*answer)->code == ZkCode::kSessionExpired) co_return std::unexpected(errors::sessionLost(self->where));
    co_return std::move(**answer);
}

} // namespace lockscope::sim
