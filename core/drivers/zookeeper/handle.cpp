// SPDX-License-Identifier: Apache-2.0
#include "drivers/zookeeper/handle.h"

#include <QtEndian>
#include <array>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <zookeeper/zookeeper.h>

namespace lockscope::zookeeper {

namespace {

constexpr int kGreetingSize = 41; // the server's answer to the greeting, its length included
constexpr int kHeadSize = 20;     // length, request number, zxid, error
constexpr int kLargestMessage = 64 * 1024 * 1024;
constexpr int kLargestFailure = 1024;   // it has nothing to tell but its head
constexpr int kNoClientEnvironment = 2; // ZOO_NO_LOG_CLIENTENV
constexpr int kMostMessagesAtOnce = 64; // then others of this event loop have their turn
constexpr Nanos kAtOnce = 1ms;
/// Between connections that come to nothing; before the first new one there is none.
constexpr Nanos kFirstRest = 10ms, kLongestRest = 100ms;
/// A server hands a request from one of its threads to the next, and answers many times later than others do.
constexpr auto kAnswersWithin = 250us;
constexpr Nanos kFirstPatience = 1s, kLongestPatience = 3s;
// Less leaves the C client no time to connect: two thirds of it are its time-out for that as well.
constexpr std::int64_t kShortestSession = 500, kLongestSession = 1'000'000'000;

// Request numbers of what is no answer to a request: watch event, ping, login, watches set again.
bool isOutOfBand(qint32 number) {
    return number == -1 || number == -2 || number == -4 || number == -8;
}

void onSession(zhandle_t* zh, int type, int state, const char* path, void*) {
    Handle::onWatch(zh, type, state, path, nullptr);
}

} // namespace

Handle::Handle(Runtime& runtime, const QByteArray& servers, Nanos session, Callbacks callbacks,
               const std::optional<Key>& known)
    : m_runtime(runtime), m_callbacks(std::move(callbacks)) {
    ::zoo_set_debug_level(ZooLogLevel(0)); // it would write to stderr, logins included
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(session).count();
    clientid_t id{};
    if (known) {
        static_assert(sizeof id.passwd == sizeof known->secret);
        id.client_id = known->id;
        std::ranges::copy(known->secret, std::begin(id.passwd));
    }
    m_zh = ::zookeeper_init(servers.constData(), &onSession, int(std::clamp(ms, kShortestSession, kLongestSession)),
                            known ? &id : nullptr, this, kNoClientEnvironment);
    // The C client's own is two thirds of the session: too long for a server that is only starting, or stopped.
    m_longestPatience = std::min<Nanos>(session * 2 / 3, kLongestPatience);
    m_patience = std::min(kFirstPatience, m_longestPatience);
    // Otherwise it resolves the addresses at each look.
    if (m_zh) ::zoo_set_servers_resolution_delay(m_zh, -1);
}

Handle::~Handle() {
    m_reactor->cancel(*this);
    if (!m_zh) return;
    // A closed socket makes the C client give up its farewell to the server at once.
    if (m_id) ::shutdown(m_watched, SHUT_RDWR);
    forgetSocket();
    ::zoo_set_context(m_zh, nullptr);
    ::zookeeper_close(m_zh);
}

void Handle::endSession(Farewell farewell) {
    if (!m_zh) return;
    if (farewell == Farewell::Said && m_id) {
        // The C client waits for an answer, or for the end of what it reads. Nothing may be left to read: the server
        // would be reset instead of told.
        std::array<char, 4096> bytes{};
        for (int i = 0; i < 1000 && ::recv(m_watched, bytes.data(), bytes.size(), MSG_DONTWAIT) > 0; ++i) {
        }
        ::shutdown(m_watched, SHUT_RD);
    }
    forgetSocket();
    ::zoo_set_context(m_zh, nullptr);
    ::zookeeper_close(std::exchange(m_zh, nullptr));
}

void Handle::login(const QByteArray& userAndPassword) {
    ::zoo_add_auth(m_zh, "digest", userAndPassword.constData(), int(userAndPassword.size()), nullptr, nullptr);
}

bool Handle::connected() const {
    return m_zh && ::zoo_state(m_zh) == ZOO_CONNECTED_STATE;
}

std::int64_t Handle::sessionId() const {
    return ::zoo_client_id(m_zh)->client_id;
}

std::optional<Handle::Key> Handle::key() const {
    const clientid_t* const id = m_zh ? ::zoo_client_id(m_zh) : nullptr;
    if (!id || id->client_id == 0) return std::nullopt;
    Key key;
    key.id = id->client_id;
    std::ranges::copy(id->passwd, key.secret.begin());
    return key;
}

Nanos Handle::sessionTimeout() const {
    return std::chrono::milliseconds(::zoo_recv_timeout(m_zh));
}

void Handle::onWatch(_zhandle* zh, int type, int state, const char* path, void* context) {
    const auto* handle = static_cast<const Handle*>(::zoo_get_context(zh));
    if (!handle) return; // being closed
    if (type == ZOO_SESSION_EVENT) {
        if (!context) handle->m_callbacks.session(state); // each node's watch is told as well
    } else {
        handle->m_callbacks.watch(reinterpret_cast<std::uintptr_t>(context), type, path);
    }
}

Nanos Handle::look() {
    if (!m_zh || ::is_unrecoverable(m_zh)) return kNever;
    if (const Nanos rest = m_restUntil - m_runtime.monotonic(); !m_id && rest > Nanos(0)) return rest;
    int fd = -1, interest = 0;
    timeval wait{};
    const int before = ::zoo_state(m_zh);
    const Nanos now = m_runtime.monotonic();
    int result = ::zookeeper_interest(m_zh, &fd, &interest, &wait);
    // After a round of all servers it wants to rest for a sixtieth of the session, once. We have our own rests, which
    // do not grow with the session: a holder must soon know whether a server that is back still knows its hold.
    if (result == ZOK && fd < 0) result = ::zookeeper_interest(m_zh, &fd, &interest, &wait);
    if (before != ZOO_ASSOCIATING_STATE && ::zoo_state(m_zh) == ZOO_ASSOCIATING_STATE) m_greetedAt = now;
    if (result != ZOK) {
        broken();
        return std::max(kAtOnce, m_restUntil - now);
    }
    watchSocket(fd, interest);
    Nanos left = std::chrono::seconds(wait.tv_sec) + std::chrono::microseconds(wait.tv_usec);
    if (m_id && !connected()) {
        const Nanos patience = m_triedAt + m_patience - now;
        if (patience <= Nanos(0)) { // the C client sees its end and tries the next one
            ::shutdown(m_watched, SHUT_RDWR);
            m_gaveUp = true;
            m_triedAt = now;
            m_patience = std::min(2 * m_patience, m_longestPatience); // maybe it is just slow
        }
        left = std::min(left, std::max(patience, m_patience / 4));
    }
    return left;
}

bool Handle::agree(std::function<void(bool agreed)> done) {
    struct Check {
        std::function<void(bool)> done;
        zoo_op_t op{};
        zoo_op_result_t result{};
    };
    auto check = std::make_unique<Check>(std::move(done));
    ::zoo_check_op_init(&check->op, "/", -1);
    const auto answered = [](int rc, const void* data) {
        const std::unique_ptr<const Check> mine(static_cast<const Check*>(data));
        // A login that may not read the root is refused by a transaction, too, which is agreed upon like any other.
        mine->done(rc == ZOK || rc == ZNOAUTH);
    };
    if (::zoo_amulti(m_zh, 1, &check->op, &check->result, answered, check.get()) != ZOK) return false;
    (void)check.release(); // its answer's now
    return true;
}

void Handle::gather() {
    cork(true);
    lookLater();
}

void Handle::lookLater() {
    if (!std::exchange(m_due, true)) m_reactor->schedule(*this, Reactor::Phase::Flush);
}

void Handle::run() {
    m_due = false;
    if (m_corked) m_reactor->sent(kAnswersWithin);
    cork(false);
    if (look() == kAtOnce) m_callbacks.lookSoon();
}

void Handle::cork(bool corked) {
    if (m_watched < 0 || std::exchange(m_corked, corked) == corked) return;
    const int value = corked ? 1 : 0;
    ::setsockopt(m_watched, IPPROTO_TCP, TCP_CORK, &value, sizeof value);
}

void Handle::watchSocket(int fd, int interest) {
    if (fd != m_fd || !m_id) {
        forgetSocket();
        m_fd = fd;
        if (fd < 0) return;
        m_watched = ::fcntl(fd, F_DUPFD_CLOEXEC, 0);
        m_triedAt = m_runtime.monotonic();
        Reactor::Watcher& watcher = *this;
        m_id = m_reactor->add(m_watched, watcher);
    }
    // Less than a head is not worth waking for, and could not be judged.
    const int least = connected() ? kHeadSize : kGreetingSize;
    if (std::exchange(m_least, least) != least) ::setsockopt(fd, SOL_SOCKET, SO_RCVLOWAT, &least, sizeof least);
    const bool write = interest & ZOOKEEPER_WRITE;
    if (std::exchange(m_writing, write) != write) m_reactor->wantWrite(m_id, write);
}

/// The C client connects anew at its next call, and again and again where every server refuses.
void Handle::broken() {
    forgetSocket();
    m_midMessage = false;
    m_restUntil = m_runtime.monotonic() + m_rest;
    m_rest = std::clamp(2 * m_rest, kFirstRest, kLongestRest);
}

void Handle::forgetSocket() {
    if (m_id) {
        cork(false); // the C client may go on with it
        m_reactor->remove(std::exchange(m_id, 0));
        ::close(std::exchange(m_watched, -1));
    }
    m_fd = -1;
    m_gaveUp = false;
    m_writing = false;
    m_least = 0;
}

void Handle::readable() {
    ready(ZOOKEEPER_READ);
}

void Handle::writable() {
    ready(ZOOKEEPER_WRITE);
}

void Handle::ready(int events) {
    // A paused process does not read, a dead one never again. Callers of look() wait on the runtime, and so come back
    // when the process goes on.
    if (m_runtime.life() != Runtime::Life::Running) {
        forgetSocket();
        m_callbacks.lookSoon();
        return;
    }
    process(events);
    lookLater(); // with what those send who now go on
}

/// The bytes in the socket, as far as they were peeked at, beginning with the next message.
struct Handle::Ahead {
    std::array<uchar, 1024> bytes{};
    std::size_t begin = 0, end = 0;
    bool all = false; ///< there was no more

    std::size_t size() const { return end - begin; }
    qint32 int32(std::size_t at) const { return qFromBigEndian<qint32>(bytes.data() + begin + at); }
    qint64 int64(std::size_t at) const { return qFromBigEndian<qint64>(bytes.data() + begin + at); }
    /// The C client has read the message at the beginning.
    void pass() {
        const std::size_t whole = size() < 4 ? bytes.size() : 4 + std::size_t(int32(0));
        begin += whole;
        if (begin <= end) return;
        begin = end = 0;
        all = false;
    }
};

void Handle::process(int events) {
    Ahead ahead;
    for (int i = 0; i < kMostMessagesAtOnce; ++i) {
        const bool begins = events == ZOOKEEPER_READ && !m_midMessage;
        Head seen = Head::Incomplete;
        if (begins) {
            seen = head(ahead);
            if (seen == Head::Incomplete) return;
            if (seen == Head::Garbage) {
                m_garbage = true;
                throwAwayInput();
            } else {
                noteZxid(ahead);
            }
        }
        const int before = ::zoo_state(m_zh);
        const Nanos now = before == ZOO_CONNECTED_STATE ? Nanos(0) : m_runtime.monotonic();
        const int result = ::zookeeper_process(m_zh, events);
        const bool greeted = before != ZOO_CONNECTED_STATE && before != ZOO_ASSOCIATING_STATE;
        if (greeted && ::zoo_state(m_zh) == ZOO_ASSOCIATING_STATE) m_greetedAt = now;
        if (result == ZNOTHING) {
            m_midMessage = true;
            return;
        }
        if (result != ZOK) {
            if (before == ZOO_ASSOCIATING_STATE && seen != Head::Garbage && !m_gaveUp) m_sawHangUp = true;
            broken();
            m_callbacks.lookSoon();
            return;
        }
        m_midMessage = false;
        if (events != ZOOKEEPER_READ) return;
        if (connected()) {
            m_garbage = false;
            m_sawHangUp = false;
            m_patience = std::min(kFirstPatience, m_longestPatience);
            m_rest = Nanos(0);
        }
        if (begins) ahead.pass();
    }
}

Handle::Head Handle::head(Ahead& ahead) const {
    const std::size_t wanted = connected() ? kHeadSize : kGreetingSize;
    if (ahead.size() < wanted) {
        if (ahead.all && ahead.size() == 0) return Head::Incomplete; // what came since wakes us again
        const auto got = ::recv(m_watched, ahead.bytes.data(), ahead.bytes.size(), MSG_PEEK | MSG_DONTWAIT);
        if (got < 0) return errno == EAGAIN || errno == EINTR ? Head::Incomplete : Head::Whole; // the C client sees why
        ahead.begin = 0;
        ahead.end = std::size_t(got);
        ahead.all = ahead.end < ahead.bytes.size();
    }
    if (ahead.size() < wanted) {
        pollfd socket{m_watched, POLLRDHUP, 0};
        if (::poll(&socket, 1, 0) == 0) return Head::Incomplete;
        // The end of the stream, maybe after a stump: the C client reads the one and must not see the other.
        if (ahead.size() > 0) throwAwayInput();
        return Head::Whole;
    }
    return judge(ahead);
}

Handle::Head Handle::judge(const Ahead& ahead) const {
    const qint32 length = ahead.int32(0);
    if (!connected()) {
        const bool first = sessionId() == 0;
        const bool sane = length == kGreetingSize - 4 && ahead.int32(20) == 16 && ahead.int32(8) >= (first ? 1 : 0);
        return sane ? Head::Whole : Head::Garbage;
    }
    if (length < kHeadSize - 4 || length > kLargestMessage) return Head::Garbage;
    if (isOutOfBand(ahead.int32(4))) return Head::Whole;
    const int least = m_callbacks.leastAnswer();
    const bool failed = ahead.int32(16) != 0;
    const bool sane = least >= 0 && (failed ? length <= kLargestFailure : length >= least);
    return sane ? Head::Whole : Head::Garbage;
}

/// The C client does not give this number out. In a watch's event it is -1.
void Handle::noteZxid(const Ahead& ahead) {
    if (connected() && ahead.size() >= kHeadSize) m_lastZxid = std::max<std::int64_t>(m_lastZxid, ahead.int64(8));
}

void Handle::throwAwayInput() const {
    std::array<char, 4096> bytes{};
    // The shutdown stops further data; the loop has a bound all the same.
    ::shutdown(m_watched, SHUT_RDWR);
    for (int i = 0; i < 10'000 && ::recv(m_watched, bytes.data(), bytes.size(), MSG_DONTWAIT) > 0; ++i) {
    }
}

} // namespace lockscope::zookeeper
