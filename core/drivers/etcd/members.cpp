// SPDX-License-Identifier: Apache-2.0
#include "drivers/etcd/members.h"

#include "drivers/etcd/watch_stream.h"
#include "drivers/net/tls_configuration.h"
#include "ports/etcd/codec.h"
#include "ports/etcd/errors.h"

namespace lockscope::etcd {

namespace {

using Kind = Error::Kind;
constexpr int kUnauthenticated = 16; // gRPC's number

std::expected<std::optional<QSslConfiguration>, Error> tlsOf(const ConnectionUrl& url) {
    if (!url.tls) return std::optional<QSslConfiguration>();
    auto configuration = net::tlsConfiguration(url.tlsFiles);
    if (!configuration) return std::unexpected(Error{Kind::WrongUrl, 0, configuration.error()});
    return std::optional(*std::move(configuration));
}

} // namespace

struct Members::Permit {
    explicit Permit(Members& owner) : members(owner) {}
    ~Permit() { members.m_permits.release(); }
    Permit(const Permit&) = delete;
    Permit& operator=(const Permit&) = delete;
    Members& members;
};

/// A connection of its own to any member, known to shutDown() as long as it is used.
struct Members::Aside {
    Aside(Members& owner, const Endpoint& at)
        : members(owner), wire(std::make_shared<HttpWire>(owner.m_runtime, at, *owner.m_tls)) {
        members.m_asides.insert(wire);
    }
    ~Aside() { members.m_asides.erase(wire); }
    Aside(const Aside&) = delete;
    Aside& operator=(const Aside&) = delete;
    Members& members;
    WirePtr wire;
};

Members::Loan::Loan(std::shared_ptr<Members> members, For use) : m_members(std::move(members)) {
    Members& m = *m_members;
    member = m.m_current;
    stream = use == For::Stream;
    while (use == For::Request && !wire && !m.m_idle.empty()) {
        if (m.m_idle.back()->usable()) wire = m.m_idle.back();
        m.m_idle.pop_back();
    }
    reused = wire != nullptr;
    if (!wire) wire = std::make_shared<HttpWire>(m.m_runtime, m.m_url.endpoints[member], *m.m_tls);
    m.m_loans.insert(this);
}

Members::Loan::~Loan() {
    Members& m = *m_members;
    m.m_loans.erase(this);
    if (wire->usable() && member == m.m_current && !m.m_gone) m.m_idle.push_back(std::move(wire));
}

Members::Members(Runtime& runtime, const ConnectionUrl& url, DriverOptions options)
    : m_runtime(runtime), m_url(url), m_options(options), m_tls(tlsOf(url)) {
    url.takeTime("connect", m_options.connectTimeout);
    url.takeTime("timeout", m_options.requestTimeout);
    for (int i = 0; i < m_options.connections; ++i)
        m_permits.release();
}

void Members::shutDown() {
    m_gone = true;
    m_idle.clear();
    const std::set<Loan*> loans = m_loans;
    for (Loan* loan : loans)
        loan->wire->close(errors::driverGone(whereIs(loan->member)));
    const std::set<WirePtr> asides = m_asides;
    for (const WirePtr& wire : asides)
        wire->close(errors::driverGone(where()));
}

void Members::giveUp(std::size_t member) {
    if (member != m_current) return; // somebody else was quicker
    m_current = (m_current + 1) % m_url.endpoints.size();
    m_idle.clear();
    // Watches at that member would wait in vain.
    const std::set<Loan*> loans = m_loans;
    for (Loan* loan : loans)
        if (loan->stream && loan->member == member) loan->wire->close(errors::closed(whereIs(member)));
}

Nanos Members::oneTry(Nanos left) const {
    const auto members = std::int64_t(m_url.endpoints.size());
    if (members == 1) return left;
    return std::min(left, std::max(m_options.shortestTry, m_options.requestTimeout / members));
}

Result<void> Members::prepare(std::shared_ptr<Members> self, WirePtr wire, Nanos timeout, std::stop_token stop) {
    const Nanos begun = self->m_runtime.monotonic();
    if (!wire->usable()) {
        const auto opened = co_await wire->open(std::min(timeout, self->m_options.connectTimeout), stop);
        if (!opened) co_return std::unexpected(opened.error());
    }
    // A process that stood still meanwhile finds a connection that was made and has ended. Nothing was sent on it.
    Error over = errors::closed(self->where());
    over.kind = Kind::Unreachable;
    while (wire->usable() && !self->m_url.user.isEmpty() && self->m_token.isEmpty()) {
        const Nanos left = std::max(timeout - (self->m_runtime.monotonic() - begun), Nanos(1ms));
        if (!self->m_loggingIn) {
            const auto loggedIn = co_await logIn(self, wire, left, stop);
            if (!loggedIn) co_return std::unexpected(loggedIn.error());
            break;
        }
        const Completion<LoggedIn> other = self->m_waitForLogin.emplace_back();
        const std::optional<LoggedIn> went = co_await other.wait(self->m_runtime, left, stop);
        Error late = errors::requestTimeout(left, self->where());
        late.kind = Kind::Unreachable;
        if (!went) co_return std::unexpected(late);
        if (went->refused) co_return std::unexpected(*went->refused);
        if (!went->again) break;
    }
    if (!wire->usable()) co_return std::unexpected(over);
    co_return std::expected<void, Error>();
}

/// Begins with its making and ends with it, however that comes; then all who wait hear of it.
struct Members::Login {
    explicit Login(Members& owner) : members(owner) { members.m_loggingIn = true; }
    ~Login() {
        members.m_loggingIn = false;
        for (const Completion<LoggedIn>& waiting : std::exchange(members.m_waitForLogin, {}))
            waiting.complete(result);
    }
    Login(const Login&) = delete;
    Login& operator=(const Login&) = delete;
    Members& members;
    LoggedIn result;
};

Result<void> Members::logIn(std::shared_ptr<Members> self, WirePtr wire, Nanos timeout, std::stop_token stop) {
    Login login(*self);
    HttpRequest request{"/v3/auth/authenticate", codec::login(self->m_url.user, self->m_url.password), {}};
    const QString where = self->where();
    ++self->m_sent;
    const auto reply = co_await wire->post(std::move(request), timeout, stop);
    std::optional<Error> error;
    if (!reply) {
        error = reply.error();
    } else if (reply->status != 200) {
        error = codec::refusal(reply->status, reply->body, where);
        // A server without logins serves everybody, as etcdctl takes it.
        if (error->message.contains(QLatin1String("authentication is not enabled"))) error.reset();
    } else if (const auto token = codec::token(reply->body)) {
        self->m_token = *token;
    } else {
        error = errors::garbage(token.error(), where);
    }
    if (error && error->outcomeUnknown()) error->kind = Kind::Unreachable; // nothing of the caller's was sent yet
    // Any other error may be this member's alone: each request then tries for itself, maybe at the next member.
    const bool verdict = error && (error->kind == Kind::AuthFailed || error->kind == Kind::Refused);
    login.result.again = error && !verdict;
    if (verdict) login.result.refused = error;
    if (error) co_return std::unexpected(*error);
    co_return std::expected<void, Error>();
}

Result<Members::Answer> Members::ask(std::shared_ptr<Members> self, HttpRequest request, std::stop_token stop) {
    Runtime& runtime = self->m_runtime;
    const DriverOptions options = self->m_options;
    const Nanos end = runtime.monotonic() + options.requestTimeout;
    const int members = int(self->m_url.endpoints.size());
    if (!self->m_tls) co_return std::unexpected(self->m_tls.error());

    Error last = errors::connectTimeout(options.requestTimeout, self->where());
    const bool permitted = co_await self->m_permits.acquire(runtime, options.requestTimeout, stop);
    if (!permitted) co_return std::unexpected(last);
    const Permit permit(*self);

    Answer answer;
    std::optional<Error> unknown; // of a try that may have run
    int unreachable = 0, silent = 0;
    bool loggedInAgain = false;
    Nanos pause = options.retryFirst;
    for (;;) {
        if (self->m_gone) co_return std::unexpected(errors::driverGone(self->where()));
        const Nanos left = end - runtime.monotonic();
        if (left <= Nanos(0)) break;
        Loan loan(self, Loan::For::Request);
        const auto prepared = co_await prepare(self, loan.wire, self->oneTry(left), stop);
        if (!prepared) {
            last = prepared.error();
            if (self->m_gone || last.kind == Kind::AuthFailed || last.kind == Kind::Refused) break;
            self->giveUp(loan.member);
            if (++unreachable >= members) break; // nobody is there
            continue;
        }
        request.token = self->m_token;
        ++self->m_sent;
        const Nanos tryTime = self->oneTry(std::max(end - runtime.monotonic(), Nanos(1ms)));
        auto reply = co_await loan.wire->post(request, tryTime, stop);
        if (!reply) {
            last = reply.error();
            last.sent = true;
            if (last.outcomeUnknown() || !unknown) unknown = last;
            answer.repeated = true;
            if (self->m_gone || last.kind == Kind::Protocol) break;
            if (loan.reused && last.kind == Kind::Disconnected) continue; // closed for being idle, as a rule
            self->giveUp(loan.member);
            if (++silent > members) break;
            continue;
        }
        answer.where = self->whereIs(loan.member);
        if (reply->status == 200) {
            answer.body = std::move(reply->body);
            co_return answer;
        }
        last = codec::refusal(reply->status, reply->body, answer.where);
        last.sent = reply->status != 404; // who has no such path has not run it
        if (last.code == kUnauthenticated && !self->m_url.user.isEmpty() && !std::exchange(loggedInAgain, true)) {
            self->forget(request.token); // it has ended; the request did not run
            continue;
        }
        // "Lease not found" and "lease exists" are true of all tries; any other refusal is about this try only.
        const bool ofAllTries = last.kind == Kind::LeaseNotFound || last.kind == Kind::LeaseExists;
        if (last.kind != Kind::Unavailable) co_return std::unexpected(unknown && !ofAllTries ? *unknown : last);
        unknown = last;
        answer.repeated = true;
        if (members > 1) self->giveUp(loan.member);
        const Nanos nap = std::min(pause, std::max(end - runtime.monotonic(), Nanos(0)));
        pause = std::min(pause * 2, options.retryLongest);
        // A cluster without a leader tells nobody when it has one again.
        co_await runtime.sleep(nap, stop);
    }
    co_return std::unexpected(unknown ? *unknown : last);
}

Result<Members::Answer> Members::askAt(std::shared_ptr<Members> self, Endpoint at, HttpRequest request, Nanos patience,
                                       std::stop_token stop) {
    if (!self->m_tls) co_return std::unexpected(self->m_tls.error());
    const Aside aside(*self, at);
    const auto opened = co_await aside.wire->open(std::min(patience, self->m_options.connectTimeout), stop);
    if (!opened) co_return std::unexpected(opened.error());
    ++self->m_sent;
    auto reply = co_await aside.wire->post(std::move(request), patience, stop);
    if (!reply) co_return std::unexpected(reply.error());
    const QString where = at.display();
    if (reply->status != 200) co_return std::unexpected(codec::refusal(reply->status, reply->body, where));
    Answer answer;
    answer.body = std::move(reply->body);
    answer.where = where;
    co_return answer;
}

Result<OwnedWatch> Members::watch(std::shared_ptr<Members> self, QByteArray body, std::stop_token stop) {
    Runtime& runtime = self->m_runtime;
    const Nanos end = runtime.monotonic() + self->m_options.requestTimeout;
    if (!self->m_tls) co_return std::unexpected(self->m_tls.error());
    Error last = errors::connectTimeout(self->m_options.requestTimeout, self->where());
    bool loggedInAgain = false;
    const int members = int(self->m_url.endpoints.size());
    for (int tries = 0; tries <= members; ++tries) {
        if (self->m_gone) co_return std::unexpected(errors::driverGone(self->where()));
        const Nanos left = end - runtime.monotonic();
        if (left <= Nanos(0)) break;
        auto stream = std::make_unique<WatchStream>(self);
        const auto prepared = co_await prepare(self, stream->wire(), self->oneTry(left), stop);
        if (!prepared) {
            last = prepared.error();
            if (self->m_gone || last.kind == Kind::AuthFailed || last.kind == Kind::Refused) break;
            self->giveUp(stream->member());
            if (tries + 1 >= members) break;
            continue;
        }
        ++self->m_sent;
        const QByteArray token = self->m_token;
        HttpRequest request{"/v3/watch", body, token};
        const Nanos patience = self->oneTry(std::max(end - runtime.monotonic(), Nanos(1ms)));
        const auto started = co_await stream->start(std::move(request), patience, stop);
        if (started) co_return OwnedWatch(std::move(stream));
        last = started.error();
        const bool login = last.code == kUnauthenticated || last.kind == Kind::Denied;
        if (login && !self->m_url.user.isEmpty() && !std::exchange(loggedInAgain, true)) {
            self->forget(token);
            continue;
        }
        if (!last.outcomeUnknown()) break;
        self->giveUp(stream->member());
    }
    co_return std::unexpected(last);
}

} // namespace lockscope::etcd
