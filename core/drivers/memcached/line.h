// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "drivers/net/stream.h"
#include "ports/memcached/port.h"
#include "ports/memcached/protocol.h"

#include <array>

namespace lockscope::memcached {

/// Settings of a driver; the defaults suit locks on a healthy network.
struct DriverOptions {
    Nanos connectTimeout = 2s;         ///< TCP, TLS and login together
    Nanos commandTimeout = 3s;         ///< from the call, or the end of a list before it, to the reply; with connecting
    std::size_t pendingLimit = 65'536; ///< calls beyond this are refused at once
};

class Line;

/// A command in flight, with or without a look after it, in the frame of the coroutine that waits. When the frame is
/// destroyed, later replies are discarded.
class Call {
public:
    Call(Runtime& runtime, std::stop_token stop) : waiter(runtime, kNever, std::move(stop)) {}
    ~Call();
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

    Waiter waiter;
    // One of these two is set when the waiter is woken.
    std::optional<Error> error;
    std::array<Reply, 2> replies; ///< the command's replies: Command::replies() of them

private:
    friend class Line;
    void complete() {
        m_line = nullptr;
        waiter.wake();
    }
    Line* m_line = nullptr; ///< while it is in the line's queue
    std::uint64_t m_id = 0;
};

/// One server over one connection, which is made when needed and again after it broke. Commands are pipelined and
/// answered in order.
///
/// The text protocol is tried first. If the server hangs up silently, the binary protocol is tried, which servers with
/// SASL speak. A new connection begins with a greeting; the reply tells whether this is a usable memcached and whether
/// it requires a login. Then the server is asked since when it runs; a proxy that hangs up at this question is not
/// asked again. Until then no command of a caller is sent.
class Line final : public QObject, private Reactor::Job, private net::Stream::Owner {
public:
    /// `url` names one server.
    Line(Runtime& runtime, const ConnectionUrl& url, DriverOptions options);
    ~Line() override;

    /// Sends a command; completes `call` with its result. A server's error is Kind::Refused; an error of the look after
    /// it is only a reply, because it does not undo the command.
    void submit(Command command, Call& call);
    /// Port::onReconnect.
    CallList::Registration onReconnect(CallList::Callback back);
    /// Ends all calls with the error "closed on purpose", and accepts no new ones.
    void shutDown();
    Runtime& runtime() { return m_runtime; }
    /// Protocol::statistics() and Protocol::runBegan() of the present connection.
    Statistics statistics() const;
    bool tellsStatistics() const { return m_state == State::Ready && m_protocol->runBegan() > 0; }
    std::uint64_t sent() const { return m_sent; }
    const QString& where() const { return m_where; }
    /// The connection of the next command, as Mark::connection. 0: a new one.
    std::uint64_t connection() const { return m_connection; }

private:
    friend class Call;
    enum class State : std::uint8_t { Away, Connecting, Greeting, LoggingIn, Asking, Ready };
    struct Pending {
        std::uint64_t id;
        Call* call; ///< nullptr: nobody waits any more
        Nanos deadline;
        std::uint8_t count, came = 0; ///< replies expected, and received
        bool list = false;            ///< it may take long: the deadline counts from the last bytes of the answer
        /// Commands behind a list wait for its end, also when nobody waits for the list itself any more.
        bool isWatched() const { return call != nullptr || list; }
    };
    void connectNow();
    void openStream();
    void retireStream();
    void streamOpened() override;
    void streamReadable() override;
    void streamEnded(net::Ending ending) override;
    void takeReplies();
    void take(Reply&& reply);
    void greeted(const Reply& reply);
    void serve();
    void release();
    void openAgain();
    void logIn(const QByteArray& ways);
    void run() override {
        m_flushScheduled = false;
        flush();
    }
    void flush();
    void close(const Error& error);
    void connectAgain();
    void abandon(std::uint64_t id);
    void watch();
    void lookAtTime();

    Runtime& m_runtime;
    const ConnectionUrl m_url;
    const Endpoint m_endpoint;
    const DriverOptions m_options;
    const QString m_where;
    std::optional<QSslConfiguration> m_tls;
    std::optional<Error> m_unusable; ///< why the URL cannot be used
    std::shared_ptr<Reactor> m_reactor = Reactor::ofThisThread();
    std::unique_ptr<net::Stream> m_stream, m_old; ///< m_old has ended, but its functions may still be running
    State m_state = State::Away;
    Runtime::TimerId m_connectLimit = 0, m_commandLimit = 0, m_nextTry = 0;
    CallList m_reconnects;
    bool m_wasReady = false; ///< there was a connection before, which the next one replaces
    std::unique_ptr<Protocol> m_protocol;
    bool m_binary = false;         ///< whether m_protocol is the binary one
    bool m_unasked = false;        ///< the server or proxy hangs up when asked for statistics
    std::deque<Command> m_waiting; ///< until the server's protocol is known, or a list has come
    bool m_listing = false;        ///< a list is on its way
    QByteArray m_out;
    bool m_flushScheduled = false;
    std::deque<Pending> m_pending; ///< by id
    std::uint64_t m_lastId = 0, m_sent = 0, m_connection = 0;
    bool m_gone = false;
};

} // namespace lockscope::memcached
