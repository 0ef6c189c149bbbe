// SPDX-License-Identifier: Apache-2.0
#include "drivers/zookeeper/driver_core.h"

#include "runtime/completion.h"

#include <QHostAddress>
#include <QHostInfo>
#include <zookeeper/zookeeper.h>

namespace lockscope::zookeeper {

namespace {

using State = Session::State;

constexpr Nanos kPauseBetweenLookups = 1s;
constexpr Nanos kCloseWaits = 500ms;
/// Each probe for a loss of data costs the servers three writes: the probe's session, its question, the session's end.
constexpr Nanos kPauseBetweenProbes = 1s;

QString whereOf(const ConnectionUrl& url) {
    QStringList all;
    for (const Endpoint& endpoint : url.endpoints)
        all += endpoint.display();
    return all.join(u',') + url.path;
}

DriverOptions withUrlsTimes(const ConnectionUrl& url, DriverOptions options) {
    url.takeTime("connect", options.connect);
    return options;
}

} // namespace

DriverCore::DriverCore(Runtime& runtimeOfDriver, const ConnectionUrl& connectionUrl, DriverOptions driverOptions)
    : runtime(runtimeOfDriver),
      url(connectionUrl),
      options(withUrlsTimes(connectionUrl, std::move(driverOptions))),
      where(whereOf(connectionUrl)),
      chroot(connectionUrl.path.toUtf8()) {
}

DriverCore::~DriverCore() = default;

QByteArray DriverCore::full(const QByteArray& path) const {
    if (chroot.isEmpty()) return path;
    return path == "/" ? chroot : chroot + path;
}

QByteArray DriverCore::own(const char* fullPath) const {
    QByteArray path(fullPath);
    if (chroot.isEmpty() || !path.startsWith(chroot)) return path;
    return path.size() == chroot.size() ? QByteArray("/") : path.mid(chroot.size());
}

void DriverCore::start() {
    if (m_running || !runtime.alive()) return;
    m_running = true;
    m_stop = std::stop_source();
    if (session.state == State::Failed) session.state = State::None;
    m_refused = false;
    m_resolving = false; // a lookup that was under way has been stopped
    runtime.spawn([core = shared_from_this(), token = m_stop.get_token()] { return pulse(core, token); });
}

void DriverCore::stop(Handle::Farewell farewell) {
    m_stop.request_stop();
    m_running = false;
    const bool connected = handle && handle->connected() && runtime.alive();
    const bool fresh = connected && runtime.monotonic() - session.answeredAt < session.timeout / 3;
    if (fresh && m_least.empty()) handle->endSession(farewell);
    m_left.reset();
    m_leaving.reset();
    endSession(false);
}

QCoro::Task<> DriverCore::close(std::shared_ptr<DriverCore> core) {
    // The C client's farewell blocks until it is answered: first make sure that somebody answers, without blocking.
    const Nanos begun = core->runtime.monotonic();
    if (core->ready()) {
        core->beat(begun);
        core->suspend(); // who goes on using it waits, so that what is in flight comes to an end
    }
    while (!core->m_least.empty() && core->runtime.monotonic() - begun < kCloseWaits)
        co_await core->runtime.sleep(1ms);
    const bool answers = core->session.answeredAt >= begun;
    core->stop(answers ? Handle::Farewell::Awaited : Handle::Farewell::Said);
}

QCoro::Task<> DriverCore::pulse(std::shared_ptr<DriverCore> core, std::stop_token stop) {
    for (;;) {
        const Nanos wait = core->turn();
        if (core->m_refused) { // until somebody asks again
            core->m_running = false;
            co_return;
        }
        co_await core->m_kick.acquire(core->runtime, wait, stop);
        core->m_kick.drain();
    }
}

Nanos DriverCore::turn() {
    Nanos now = runtime.monotonic();
    if (m_ended || m_refused) {
        endSession(m_refused);
        if (m_refused) return kNever;
    }
    // Nothing heard for too long: the server has ended the session, or may have; nobody may rely on it any more.
    const bool known = session.state == State::Connected || session.state == State::Suspended;
    if (known && now >= session.until()) giveUpSession();
    // Names may have other addresses by now.
    const bool waitsForNames = m_named && session.state == State::None;
    if (handle && waitsForNames && now - m_openedAt >= options.staleAfter) dropHandle();
    if (!handle && !m_resolving && now >= m_resolveAgain) {
        m_resolving = true;
        runtime.spawn([core = shared_from_this(), token = m_stop.get_token()] { return resolve(core, token); });
    }
    if (!handle) return m_resolving ? kNever : m_resolveAgain - now;

    Nanos wait = std::min({handle->look(), probe(now), endLeftSession()});
    if (m_ended || m_refused) return Nanos(0);
    if (ready() && now >= m_proof.heardAt() + m_beatEvery) beat(now);
    if (waitsForNames) wait = std::min(wait, std::max(Nanos(0), m_openedAt + options.staleAfter - now));
    if (session.state != State::None) {
        now = runtime.monotonic();
        wait = std::min(wait, std::max(Nanos(0), session.until() - now));
        const Nanos next = m_beating ? m_beatEvery / 2 : std::max<Nanos>(m_proof.heardAt() + m_beatEvery - now, 1ms);
        if (ready()) wait = std::min(wait, next);
    }
    return wait;
}

void DriverCore::giveUpSession() {
    m_left = handle ? handle->key() : std::nullopt;
    m_leftTimeout = session.timeout;
    endSession(false);
}

/// Ends the session that was given up, when there is a new one; returns how long until the next look.
Nanos DriverCore::endLeftSession() {
    if (m_left && ready()) {
        m_leaving =
            std::make_unique<LeftSession>(runtime, m_servers, *m_left, m_leftTimeout, [this] { m_kick.release(); });
        m_left.reset();
    }
    if (!m_leaving) return kNever;
    const Nanos wait = m_leaving->look();
    if (m_leaving->over()) m_leaving.reset();
    return wait;
}

/// Asks, while servers hang up on our session, whether they have lost it with their data; returns how long until the
/// next look. A session that they have lost has expired: they will not say so themselves before they have made more
/// transactions than we have seen.
Nanos DriverCore::probe(Nanos now) {
    if (session.state != State::Suspended) {
        m_probe.reset();
        return kNever;
    }
    if (!m_probe) {
        if (!handle->sawHangUp()) return kNever;
        if (now < m_probeAgain) return m_probeAgain - now;
        m_probe = std::make_unique<DataLossProbe>(
            runtime, DataLossProbe::Question{m_servers, options.session, login(), handle->lastZxid()},
            [this] { m_kick.release(); });
    }
    const Nanos wait = m_probe->look();
    const std::optional<DataLossProbe::Finding> finding = m_probe->finding();
    if (!finding) return wait;
    m_probe.reset();
    m_probeAgain = now + kPauseBetweenProbes;
    if (*finding != DataLossProbe::Finding::Lost) return kPauseBetweenProbes;
    m_ended = true;
    return Nanos(0);
}

QByteArray DriverCore::login() const {
    return url.user.isEmpty() ? QByteArray() : url.user.toUtf8() + ':' + url.password.toUtf8();
}

void DriverCore::beat(Nanos now) {
    if (m_beating) return;
    struct Beat {
        std::shared_ptr<DriverCore> core;
        Nanos sentAt;
        std::uint64_t generation;
    };
    auto pulseBeat = std::make_unique<Beat>(shared_from_this(), now, session.generation);
    const auto answered = [](int rc, const char*, const void* data) {
        const std::unique_ptr<const Beat> mine(static_cast<const Beat*>(data));
        mine->core->m_beating = false;
        mine->core->over(rc == ZOK ? By::Leader : By::Nobody, mine->sentAt, mine->generation);
    };
    m_beating = true;
    submitted(kTextAnswer);
    // To the leader and back: the server that we are with may be cut off from it and answer what it can by itself.
    if (::zoo_async(handle->raw(), "/", answered, pulseBeat.get()) == ZOK) {
        (void)pulseBeat.release(); // its answer's now
    } else {
        m_beating = false;
        unsent();
    }
}

QCoro::Task<QList<QHostAddress>> DriverCore::addressesOf(std::shared_ptr<DriverCore> core, QString host,
                                                         std::stop_token stop) {
    if (core->options.lookup) co_return core->options.lookup(host);
    const Completion<QHostInfo> found;
    const int lookup = QHostInfo::lookupHost(host, [found](const QHostInfo& info) { found.complete(info); });
    const std::optional<QHostInfo> info = co_await found.wait(core->runtime, core->options.connect, stop);
    if (info) co_return info->addresses();
    QHostInfo::abortHostLookup(lookup);
    co_return QList<QHostAddress>();
}

QCoro::Task<> DriverCore::resolve(std::shared_ptr<DriverCore> core, std::stop_token stop) {
    QByteArrayList servers;
    core->m_named = false;
    std::optional<Error> failure;
    for (const Endpoint& endpoint : core->url.endpoints) {
        QList<QHostAddress> addresses{QHostAddress(endpoint.host)};
        if (addresses.first().isNull()) {
            core->m_named = true;
            addresses = co_await addressesOf(core, endpoint.host, stop);
            if (addresses.isEmpty()) failure = errors::unresolved(endpoint.host);
        }
        for (const QHostAddress& address : addresses)
            servers += address.toString().toLatin1() + ':' + QByteArray::number(endpoint.port);
    }
    if (stop.stop_requested()) co_return; // its answer came in the same moment
    core->m_resolving = false;
    core->m_unresolved.reset();
    if (servers.isEmpty()) {
        core->m_unresolved = failure;
        core->m_resolveAgain = core->runtime.monotonic() + kPauseBetweenLookups;
    } else {
        core->open(servers.join(','));
    }
    core->m_kick.release();
}

void DriverCore::open(const QByteArray& servers) {
    m_servers = servers;
    m_openedAt = runtime.monotonic();
    DriverCore* const self = this; // the handle is ours: it calls nobody when we are gone
    handle = std::make_unique<Handle>(runtime, servers, options.session,
                                      Handle::Callbacks{
                                          [self](int state) { self->onSession(state); },
                                          [self](std::uint64_t id, int type, const char* path) {
                                              using Kind = WatchEvent::Kind;
                                              const Kind kind = type == ZOO_CREATED_EVENT   ? Kind::Created
                                                                : type == ZOO_DELETED_EVENT ? Kind::Deleted
                                                                : type == ZOO_CHILD_EVENT   ? Kind::Children
                                                                                            : Kind::Changed;
                                              self->watches->fire(id, {kind, self->own(path)});
                                          },
                                          [self] { self->m_kick.release(); },
                                          [self] { return self->m_least.empty() ? -1 : self->m_least.front(); },
                                      });
    if (!handle->valid()) {
        handle.reset();
        m_unresolved = errors::unreachable(where);
        m_resolveAgain = runtime.monotonic() + kPauseBetweenLookups;
        return;
    }
    if (!url.user.isEmpty()) handle->login(login());
}

/// Whether most servers still know the session. Dear, for them: once for each connection.
void DriverCore::askQuorum() {
    const auto answered = [core = shared_from_this(), greetedAt = handle->greetedAt(), sentAt = runtime.monotonic(),
                           generation = session.generation](bool agreed) {
        const bool same = generation == core->session.generation;
        core->over(agreed ? By::Leader : By::Nobody, sentAt, generation);
        if (agreed && same) core->proved(greetedAt);
    };
    submitted(kVoidAnswer);
    if (!handle->agree(answered)) unsent();
}

void DriverCore::proved(Nanos at) {
    if (at <= session.provenAt) return;
    session.provenAt = at;
    if (ready()) watches->tellSession(WatchEvent::Kind::Session);
}

void DriverCore::onSession(int state) {
    if (state == ZOO_CONNECTED_STATE) {
        const bool isNew = session.state == State::None || session.id != handle->sessionId();
        session.id = handle->sessionId();
        session.timeout = handle->sessionTimeout();
        session.state = State::Connected;
        session.answeredAt = std::max(session.answeredAt, handle->greetedAt());
        m_beatEvery = LeaderProof::beatPeriod(session.timeout);
        m_proof.greeted(handle->greetedAt(), runtime.monotonic());
        // Most servers have agreed upon a new session. One that was there before a leader finds without asking them.
        if (isNew)
            session.provenAt = std::max(session.provenAt, handle->greetedAt());
        else
            askQuorum();
        watches->tellSession(WatchEvent::Kind::Session);
    } else if (state == ZOO_EXPIRED_SESSION_STATE) {
        m_ended = true;
    } else if (state == ZOO_AUTH_FAILED_STATE) {
        m_refused = true;
    } else if (ready()) {
        suspend();
    }
    m_kick.release();
}

void DriverCore::suspend() {
    session.state = State::Suspended;
    watches->tellSession(WatchEvent::Kind::Suspended);
}

void DriverCore::heardOfLeader(Nanos sentAt) {
    proved(m_proof.heard(sentAt, runtime.monotonic(), session.timeout));
}

void DriverCore::endSession(bool forGood) {
    m_probe.reset();
    dropHandle();
    m_ended = false;
    const bool had = session.state == State::Connected || session.state == State::Suspended;
    session.state = forGood ? State::Failed : State::None;
    m_proof.clear();
    if (had) {
        ++session.generation;
        session.provenAt = Nanos(0);
    }
    watches->tellSession(had ? WatchEvent::Kind::Lost : WatchEvent::Kind::Session);
}

void DriverCore::dropHandle() {
    // Its requests in flight end inside of this; none may find it then.
    const std::unique_ptr<Handle> old = std::move(handle);
}

void DriverCore::submitted(int least) {
    m_least.push_back(least);
    ++sent;
}

void DriverCore::unsent() {
    if (!m_least.empty()) m_least.pop_back();
    --sent;
}

void DriverCore::over(By answered, Nanos sentAt, std::uint64_t generation) {
    if (!m_least.empty()) m_least.pop_front();
    if (answered == By::Nobody || generation != session.generation) return;
    session.answeredAt = std::max(session.answeredAt, sentAt);
    if (answered == By::Leader) heardOfLeader(sentAt);
}

QCoro::Task<Result<void>> DriverCore::waitReady(std::shared_ptr<DriverCore> core, Nanos patience, std::stop_token stop,
                                                std::uint64_t generation) {
    core->start();
    const Watch news;
    core->watches->addSession(news);
    const Nanos begun = core->runtime.monotonic();
    for (;;) {
        if (core->isOver(generation)) co_return std::unexpected(errors::sessionLost(core->where));
        if (core->ready()) co_return Result<void>();
        if (core->session.state == State::Failed) co_return std::unexpected(errors::authFailed(core->where));
        if (core->stopped()) co_return std::unexpected(errors::goneAway(core->where));
        const Nanos now = core->runtime.monotonic();
        const bool suspended = core->session.state == State::Suspended;
        const Nanos sense = begun + core->options.connect;
        const Nanos end =
            std::min(suspended ? std::max(sense, core->session.until()) : sense, laterBy(begun, patience));
        if (now >= end) break;
        co_await news.next(core->runtime, end - now, stop);
    }
    if (core->handle && core->handle->sawGarbage()) co_return std::unexpected(errors::garbage(core->where));
    co_return std::unexpected(core->m_unresolved.value_or(errors::unreachable(core->where)));
}

} // namespace lockscope::zookeeper
