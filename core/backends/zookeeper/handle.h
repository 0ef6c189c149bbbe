// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "runtime/reactor.h"
#include "runtime/runtime.h"

#include <QByteArray>

struct _zhandle; // zhandle_t of <zookeeper/zookeeper.h>, which stays out of headers: it is full of macros

namespace lockscope::zookeeper {

/// One handle of the single-threaded C client, driven by its thread's reactor: that says when its socket is ready; its
/// time-outs come from whoever calls look() when the wait that it returned has passed.
///
/// The C client writes each request at once, in two pieces; each piece would wake the server. So the socket is corked
/// while requests come, until the end of the reactor's pass.
///
/// The C client trusts what it reads: a stray answer ends the program in an assertion, nonsense in a greeting becomes
/// its time-out. So the head of each message is looked at here before it may read it.
class Handle final : private Reactor::Watcher, private Reactor::Job {
public:
    struct Callbacks {
        std::function<void(int state)> session;                                  ///< a session event
        std::function<void(std::uint64_t id, int type, const char* path)> watch; ///< a node's watch has told
        std::function<void()> lookSoon;                                          ///< something broke: call look()
        std::function<int()> leastAnswer; ///< bytes that the next answer has at least; -1 = none is due
    };

    /// `servers`: "address:port,…", literal addresses; `session`: whole milliseconds are asked for.
    Handle(Runtime& runtime, const QByteArray& servers, Nanos session, Callbacks callbacks);
    /// Cuts the connection. The session stays on the server until it times out, unless it was ended before.
    ~Handle();
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;

    /// Whether the C client could be made, itself, and its login (scheme "digest", "user:password").
    bool valid() const { return m_zh; }
    _zhandle* raw() const { return m_zh; }
    void login(const QByteArray& userAndPassword);

    /// Does what is due; how long until it wants to be called again.
    Nanos look();
    /// Before requests: they leave together, soon; what the socket does not take then is sent when it does.
    void gather();
    /// Whether one blocks until the server has answered to the end of the session, for 1.5 s at most.
    enum class Farewell : std::uint8_t { Awaited, Said };
    void endSession(Farewell farewell);

    /// Whether there is a session, its number, and its time-out as the server has granted it.
    bool connected() const;
    std::int64_t sessionId() const;
    Nanos sessionTimeout() const;
    /// When the greeting was sent to which the session is the answer.
    Nanos greetedAt() const { return m_greetedAt; }
    /// Something else than a ZooKeeper answered since the last session.
    bool sawGarbage() const { return m_garbage; }

    /// What a node's watch gets as the C client's context.
    static void* contextOf(std::uint64_t id) { return reinterpret_cast<void*>(static_cast<std::uintptr_t>(id)); }
    static void onWatch(_zhandle* zh, int type, int state, const char* path, void* context);

private:
    enum class Head : std::uint8_t { Whole, Incomplete, Garbage };
    struct Ahead;
    Head head(Ahead& ahead) const;
    Head judge(const Ahead& ahead) const;
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
    int m_fd = -1;      ///< the C client's, which closes it whenever it likes
    int m_watched = -1; ///< the same socket by another number, ours: what is watched must not be closed before
    Reactor::Id m_id = 0;
    Nanos m_triedAt{};  ///< when the connection was begun
    Nanos m_patience{}; ///< how long a server may take to give a session
    Nanos m_longestPatience{};
    bool m_writing = false;
    bool m_corked = false;
    bool m_due = false;  ///< run() will come
    Nanos m_rest{};      ///< after the next connection that comes to nothing
    Nanos m_restUntil{}; ///< no new one before
    Nanos m_greetedAt{};
    int m_least = 0;           ///< bytes for which the socket wakes us
    bool m_midMessage = false; ///< the C client has read a message's beginning
    bool m_garbage = false;
};

} // namespace lockscope::zookeeper
