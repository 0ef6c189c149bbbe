// SPDX-License-Identifier: Apache-2.0
#include "connections/redis/sentinel_watch.h"

#include "connections/redis/topology_errors.h"
#include "ports/redis/errors.h"

#include <QCoreApplication>

namespace lockscope::redis {

namespace {

constexpr Nanos kSurveyLimit = 1s;
constexpr Nanos kFirstPause = 50ms, kLongestPause = 500ms;

/// Sentinels answer from memory, so a slow one counts as away.
DriverOptions sentinelOptions(const DriverOptions& master) {
    DriverOptions options;
    options.clientName = master.clientName;
    options.connectTimeout = std::min<Nanos>(1s, master.connectTimeout);
    options.commandTimeout = std::min<Nanos>(1s, master.commandTimeout);
    options.heartbeat = 2s; // a silent sentinel would not tell that the master was replaced
    options.silenceLimit = 2s;
    options.retryLongest = 1s;
    return options;
}

} // namespace

SentinelWatch::SentinelWatch(Runtime& runtime, Dialler dial, const ConnectionUrl& url, DriverOptions options)
    : m_runtime(runtime),
      m_dial(std::move(dial)),
      m_url(url),
      m_options(optionsOf(url, std::move(options))),
      m_name(url.path),
      m_ownLogin(!url.sentinelPassword.isEmpty()),
      m_sentinels(url.endpoints.size()) {
    m_url.service = Service::Redis;
    m_url.scheme = url.tls ? QStringLiteral("rediss") : QStringLiteral("redis");
    m_url.path.clear();
    ConnectionUrl sentinels = m_url;
    sentinels.database = 0;    // they have none
    sentinels.options.clear(); // the time-outs are those of the master
    if (m_ownLogin) {
        sentinels.user = url.sentinelUser;
        sentinels.password = url.sentinelPassword;
    }
    for (std::size_t i = 0; i < m_sentinels.size(); ++i) {
        m_sentinels[i].url = sentinels;
        m_sentinels[i].url.endpoints = {url.endpoints[i]};
    }
}

void SentinelWatch::start() {
    const auto self = shared_from_this();
    for (std::size_t i = 0; i < m_sentinels.size(); ++i) {
        connectSentinel(m_sentinels[i]);
        m_runtime.spawn([self, i] { return listen(self, i); });
    }
    beginSearch();
}

void SentinelWatch::close() {
    m_closing.request_stop();
    m_try.request_stop();
    m_masterEra.request_stop();
    m_master.reset();
    for (Sentinel& sentinel : m_sentinels) {
        sentinel.era.request_stop();
        sentinel.driver.reset();
    }
    m_retired.clear();
    m_changed.releaseAll();
}

void SentinelWatch::connectSentinel(Sentinel& sentinel) {
    sentinel.era.request_stop();
    sentinel.era = std::stop_source();
    if (sentinel.driver) retire(std::move(sentinel.driver));
    sentinel.driver = m_dial(m_runtime, sentinel.url, sentinelOptions(m_options));
}

void SentinelWatch::retire(std::unique_ptr<Client> driver) {
    m_retired.push_back(std::move(driver));
    m_runtime.post([weak = weak_from_this()] { // we may be inside a call of the driver's own
        if (const auto self = weak.lock()) self->m_retired.clear();
    });
}

// --- the sentinels' news ---

QCoro::Task<> SentinelWatch::listen(std::shared_ptr<SentinelWatch> self, std::size_t index) {
    for (Nanos pause = kFirstPause;; pause = std::min(pause * 2, kLongestPause)) {
        if (self->closed()) co_return;
        co_await hear(self, index, self->m_sentinels[index].era.get_token());
        if (!self->m_runtime.alive()) co_return;
        // The sentinel refused the subscription, or went away: try again less and less often.
        co_await self->m_runtime.sleep(pause, self->m_closing.get_token());
    }
}

QCoro::Task<> SentinelWatch::hear(std::shared_ptr<SentinelWatch> self, std::size_t index, std::stop_token stop) {
    try {
        const auto news = co_await self->m_sentinels[index].driver->subscribe("+switch-master", stop);
        if (!news) co_return;
        self->m_runtime.spawn([self] { return recheck(self); }); // no message tells of switches before the subscription
        for (;;) {
            const std::optional<Message> message = co_await (*news)->next(kNever, stop);
            if (self->closed()) co_return;
            if (message && message->gap)
                self->m_runtime.spawn([self] { return recheck(self); });
            else if (message)
                self->onSwitch(message->payload);
        }
    } catch (const Cancelled&) {
        // Closed or killed: listen() sees which. Passing a kill on from frame to frame is slow, and a client listens to
        // each sentinel.
    }
}

// "<name> <old address> <old port> <new address> <new port>"
void SentinelWatch::onSwitch(const QByteArray& payload) {
    const QByteArrayList words = payload.split(' ');
    if (words.size() != 5 || words[0] != m_name.toUtf8()) return;
    const Endpoint now{QString::fromUtf8(words[3]), words[4].toUShort()};
    if (m_master && now == m_masterAt) return;
    m_try.request_stop(); // the server being tried is the one before the switch
    if (m_master) leaveMaster(m_eraNumber);
    beginSearch();
}

// A configuration older than the one in force comes from a sentinel that was cut off, unless most sentinels have it.
bool SentinelWatch::isStale(const SentinelSurvey::Answer& answer, const SentinelSurvey& survey) const {
    return answer.epoch < m_epoch && !survey.majorityFor(answer);
}

QCoro::Task<> SentinelWatch::recheck(std::shared_ptr<SentinelWatch> self) {
    if (!self->m_master) co_return; // the search is under way
    const std::uint64_t era = self->m_eraNumber;
    const auto survey = self->survey();
    co_await survey->enough().wait(self->m_runtime, kSurveyLimit, self->m_closing.get_token());
    const auto best = survey->best();
    const bool another = best && best->master != self->m_masterAt && !self->isStale(*best, *survey);
    if (another) self->leaveMaster(era);
}

// --- the search ---

std::shared_ptr<SentinelSurvey> SentinelWatch::survey() {
    const auto survey = std::make_shared<SentinelSurvey>(m_sentinels.size());
    const auto self = shared_from_this();
    for (std::size_t i = 0; i < m_sentinels.size(); ++i)
        m_runtime.spawn([self, i, survey] { return ask(self, i, survey); });
    return survey;
}

QCoro::Task<> SentinelWatch::ask(std::shared_ptr<SentinelWatch> self, std::size_t index,
                                 std::shared_ptr<SentinelSurvey> survey) {
    Sentinel& sentinel = self->m_sentinels[index];
    const std::stop_token stop = self->m_closing.get_token();
    SentinelWord word = co_await askSentinel(*sentinel.driver, self->m_name.toUtf8(), survey, stop);
    if (self->closed()) co_return;
    sentinel.complaint = word.complaint;
    self->reconsiderLogin(sentinel, word.login);
}

// Without a login of their own, sentinels are given the servers'. One that wants no login refuses it, with the same
// words as a wrong one: so the next try is without it, and the one after that, if a login is wanted, with it again.
void SentinelWatch::reconsiderLogin(Sentinel& sentinel, SentinelWord::Login word) {
    if (m_ownLogin) return;
    if (word == SentinelWord::Login::Unknown && !sentinel.url.password.isEmpty()) {
        sentinel.loginRefused = sentinel.complaint;
        sentinel.url.user.clear();
        sentinel.url.password.clear();
        connectSentinel(sentinel);
    } else if (word == SentinelWord::Login::Missing && !sentinel.loginRefused.isEmpty()) {
        sentinel.complaint = std::exchange(sentinel.loginRefused, {}); // it wants one: ours was wrong, and may be
        sentinel.url.user = m_url.user;                                // right the next time
        sentinel.url.password = m_url.password;
        connectSentinel(sentinel);
    }
}

void SentinelWatch::beginSearch() {
    if (m_searching || m_master || closed()) return;
    m_searching = true;
    const auto self = shared_from_this();
    m_runtime.spawn([self] { return search(self); });
}

QCoro::Task<> SentinelWatch::search(std::shared_ptr<SentinelWatch> self) {
    Runtime& runtime = self->m_runtime;
    for (Nanos pause = kFirstPause;; pause = std::min(pause * 2, kLongestPause)) {
        self->m_try = std::stop_source();
        const auto survey = self->survey();
        co_await survey->enough().wait(runtime, kSurveyLimit, self->m_closing.get_token());
        const std::optional<SentinelSurvey::Answer> best = survey->best();
        if (best && !self->isStale(*best, *survey)) {
            const bool found = co_await tryMaster(self, *best, self->m_try.get_token());
            if (self->closed()) co_return;
            if (found) break;
            if (self->m_try.stop_requested()) pause = kFirstPause; // a sentinel has named another one meanwhile
        }
        co_await runtime.sleep(runtime.random(pause / 2, pause), self->m_closing.get_token());
    }
    self->m_searching = false;
    if (!self->m_master) self->beginSearch(); // it was lost again at once
}

QCoro::Task<bool> SentinelWatch::tryMaster(std::shared_ptr<SentinelWatch> self, SentinelSurvey::Answer answer,
                                           std::stop_token stop) {
    ConnectionUrl url = self->m_url;
    url.endpoints = {answer.master};
    auto driver = self->m_dial(self->m_runtime, url, self->m_options);
    try {
        const Result role = co_await driver->call(argsOf("ROLE"), stop);
        if (self->closed()) co_return false;
        if (!role) {
            using Kind = Error::Kind;
            const Kind kind = role.error().kind;
            self->m_refused = role.error();
            self->m_hopeless = kind == Kind::AuthFailed || kind == Kind::TlsFailed || kind == Kind::WrongUrl;
            if (self->m_hopeless) self->m_changed.releaseAll();
            co_return false;
        }
        const QByteArray word = role->items.empty() ? QByteArray() : role->items.front().text;
        if (word != "master") {
            self->m_refused = errors::notMaster(answer.master.display(), QString::fromUtf8(word));
            co_return false;
        }
    } catch (const Cancelled& cancelled) {
        if (cancelled.why() == Cancelled::Why::Killed || self->closed()) throw;
        co_return false;
    }
    self->install(std::move(driver), answer);
    co_return true;
}

void SentinelWatch::install(std::unique_ptr<Client> driver, const SentinelSurvey::Answer& answer) {
    m_master = std::move(driver);
    m_masterAt = answer.master;
    m_epoch = answer.epoch;
    m_masterEra = std::stop_source();
    const std::uint64_t era = ++m_eraNumber;
    m_refused.reset();
    m_hopeless = false;
    // The driver would connect to the same server again, which may no longer be the master: leave it instead.
    m_master->onStatus([this, era](const Status& status) {
        if (status.state != Status::State::Connected) leaveMaster(era);
    });
    m_changed.releaseAll();
    m_reconnects.callSoon(m_runtime);
    if (m_master->status().state != Status::State::Connected) leaveMaster(era);
}

void SentinelWatch::leaveMaster(std::uint64_t era) {
    if (!m_master || era != m_eraNumber || closed()) return;
    ++m_eraNumber;
    m_masterEra.request_stop();
    retire(std::move(m_master));
    beginSearch();
}

QCoro::Task<bool> SentinelWatch::waitForMaster(Nanos timeout, std::stop_token stop) {
    const auto self = shared_from_this();
    const Nanos until = laterBy(m_runtime.monotonic(), timeout);
    while (!self->m_master && !self->m_hopeless && !self->closed()) {
        const Nanos left = until == kNever ? kNever : until - self->m_runtime.monotonic();
        if (left <= Nanos(0)) break;
        co_await self->m_changed.acquire(self->m_runtime, left, stop);
    }
    co_return self->m_master != nullptr;
}

Error SentinelWatch::trouble(Nanos after) const {
    if (m_hopeless && m_refused) return *m_refused;
    QStringList asked;
    for (const Sentinel& sentinel : m_sentinels) {
        const QString where = sentinel.url.endpoints.front().display();
        asked += sentinel.complaint.isEmpty() ? QCoreApplication::translate("RedisError", "%1 was asked.").arg(where)
                                              : sentinel.complaint;
    }
    if (m_refused) asked += m_refused->message;
    return errors::noMaster(m_name, after, asked);
}

// --- for subscriptions ---

QCoro::Task<FeedSource::Place> SentinelWatch::placeOf(QByteArray, std::stop_token stop) {
    const auto self = shared_from_this();
    for (;;) {
        const bool there = co_await waitForMaster(1s, stop);
        if (self->closed()) throw Cancelled(Cancelled::Why::Stopped);
        if (there) co_return Place{self->m_master.get(), self->m_masterEra.get_token()};
        // When no server will ever accept us, the wait above ends at once: pause. The search goes on by itself.
        if (self->m_hopeless) co_await self->m_runtime.sleep(1s, stop);
    }
}

Error SentinelWatch::silence(const QByteArray&, Nanos after) const {
    return m_master ? errors::notSubscribed(after, m_masterAt.display()) : trouble(after);
}

void SentinelWatch::complain(const QByteArray&, const Error&) {
    // A fault of the server shows in its connection for commands, too, and is dealt with there.
}

} // namespace lockscope::redis
