// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "runtime/reactor.h"
#include "runtime/runtime.h"

#include <QByteArray>
#include <array>
#include <optional>

struct _zhandle; // zhandle_t of <zookeeper/zookeeper.h>, which stays out of headers: it is full of macros

namespace lockscope::zookeeper {

/// The least size of a good answer in bytes: its header, and the content for each kind of request.
inline constexpr int kVoidAnswer = 16, kTextAnswer = kVoidAnswer + 4, kStatAnswer = kVoidAnswer + 68,
                     kNodeAnswer = kStatAnswer + 4;

/// One handle of the single-threaded C client, driven by its thread's reactor, which reports when the socket is ready.
/// For time-outs, the owner calls look() when the time that it returned has passed.
///
/// The C client writes each request at once, in two pieces, each of which would wake the server. So the socket is
/// corked while requests are made, until the end of the reactor's pass.
///
/// The C client trusts its input: a stray answer aborts the program by an assertion, and nonsense in a greeting becomes
/// its time-out. So this class checks the head of each message before the C client may read it.
class Handle final : private Reactor::Watcher, private Reactor::Job {
public:
    struct Callbacks {
        std::function<void(int state)> session;                                  ///< a session event
        std::function<void(std::uint64_t id, int type, const char* path)> watch; ///< a node's watch fired
        std::function<void()> lookSoon;                                          ///< something broke: call look()
        std::function<int()> leastAnswer; ///< the least size of the next answer, in bytes; -1 = none is due
    };

    /// A session, as a server knows it again: its number and its secret.
    struct Key {
        std::int64_t id = 0;
        std::array<char, 16> secret{};
    };

    /// `servers`: "address:port,…", literal addresses; `session`: requested in whole milliseconds; `known`: a session
    /// to take up, instead of a new one.
    Handle(Runtime& runtime, const QByteArray& servers, Nanos session, Callbacks callbacks,
           const std::optional<Key>& known = std::nullopt);
    /// Cuts the connection. The session stays on the server until it times out, unless it was ended before.
    ~Handle();
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;

    /// Whether the C client could be created; the C client itself; its login (scheme "digest", "user:password").
    bool valid() const { return m_zh; }
    _zhandle* raw() const { return m_zh; }
    void login(const QByteArray& userAndPassword);

    /// Does what is due; returns how long until the next call.
    Nanos look();
    /// Called before requests: they are sent together, soon; the rest when the socket accepts more.
    void gather();
    /// Awaited blocks until the server has confirmed the end of the session, for 1.5 s at most.
    enum class Farewell : std::uint8_t { Awaited, Said };
    void endSession(Farewell farewell);

    /// Whether there is a session; its number; its time-out as granted by the server.
    bool connected() const;
    std::int64_t sessionId() const;
    Nanos sessionTimeout() const;
    /// nullopt: it has had no session yet.
    std::optional<Key> key() const;
    /// When the greeting was sent that the session answers.
    Nanos greetedAt() const { return m_greetedAt; }
    /// Whether something other than a ZooKeeper has answered since the last session.
    bool sawGarbage() const { return m_garbage; }
    /// Whether a server has closed the connection instead of answering the greeting since the last session: it does not
    /// serve yet, or it does not know the newest transaction that we were told of.
    bool sawHangUp() const { return m_sawHangUp; }
    /// The newest transaction (zxid) that a server has told of; 0 = none yet.
    std::int64_t lastZxid() const { return m_lastZxid; }

    /// Makes a transaction that changes nothing: only a leader that most servers follow can answer it. `done` is called
    /// once, with whether it was agreed upon. False without a call: the C client did not accept it.
    bool agree(std::function<void(bool agreed)> done);

    /// The C client's context for a node's watch.
    static void* contextOf(std::uint64_t id) { return reinterpret_cast<void*>(static_cast<std::uintptr_t>(id)); }
    static void onWatch(_zhandle* zh, int type, int state, const char* path, void* context);

private:
    enum class Head : std::uint8_t { Whole, Incomplete, Garbage };
    struct Ahead;
    Head head(Ahead& ahead) const;
    Head judge(const Ahead& ahead) const;
    void noteZxid(const Ahead& ahead);
    void run() override;
    void cork(bool corked);
    void lookLater();
    void readable() override;
    void writable() override;
    void ready(int events);
    void process(int events);
    void watchSocket(int fd, int interest);
    void forgetSocket();
    void broken();
    void throwAwayInput() const;

    Runtime& m_runtime;
    Callbacks m_callbacks;
    _zhandle* m_zh = nullptr;
    std::shared_ptr<Reactor> m_reactor = Reactor::ofThisThread();
    int m_fd = -1;      ///< the C client's socket, which it closes at any time
    int m_watched = -1; ///< our duplicate of that socket, because a watched descriptor must not be closed
    Reactor::Id m_id = 0;
    Nanos m_triedAt{};  ///< when connecting began
    Nanos m_patience{}; ///< how long a server may take to give a session
    Nanos m_longestPatience{};
    bool m_writing = false;
    bool m_corked = false;
    bool m_due = false;  ///< run() is scheduled
    Nanos m_rest{};      ///< pause after the next connection that fails
    Nanos m_restUntil{}; ///< no new connection before
    Nanos m_greetedAt{};
    int m_least = 0;           ///< number of bytes from which the socket wakes us
    bool m_midMessage = false; ///< the C client has read the beginning of a message
    bool m_garbage = false;
    bool m_gaveUp = false; ///< we have closed the connection ourselves: the server took too long
    bool m_sawHangUp = false;
    std::int64_t m_lastZxid = 0;
};

} // namespace lockscope::zookeeper
