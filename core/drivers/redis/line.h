// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "drivers/redis/wire.h"

namespace lockscope::redis {

/// A timer call that is cancelled with its owner.
class OneShot {
public:
    explicit OneShot(Runtime& runtime) : m_runtime(runtime) {}
    ~OneShot() { cancel(); }
    OneShot(const OneShot&) = delete;
    OneShot& operator=(const OneShot&) = delete;
    /// Sets the call; replaces the one set before. `at` is an instant of the monotonic clock.
    void arm(Nanos at, std::function<void()> callback);
    void cancel();
    bool armed() const { return m_id != 0; }

private:
    Runtime& m_runtime;
    Runtime::TimerId m_id = 0;
};

/// A connection that is kept up: greets the server, watches for silence, and reconnects when it breaks. Pauses double
/// and are jittered, so that many clients do not return together.
class Line {
public:
    struct Handlers {
        std::function<void()> ready;        ///< greeted: send what is waiting
        std::function<void(Reply&&)> reply; ///< a reply after the greeting
        /// A connection, or an attempt, ended. `wasReady`: commands may have been in flight.
        std::function<void(const Error&, bool wasReady)> lost;
        std::function<void()> ping; ///< the line is silent: send a PING
        std::function<void(const Status&)> status;
        /// Whether a caller must know soon whether the server still keeps its data. nullptr: no caller.
        std::function<bool()> urgent = nullptr;
    };
    Line(Runtime& runtime, const ConnectionUrl& url, const DriverOptions& options, Handlers handlers);
    ~Line();

    /// Connects, unless it is connected or trying. In state Failed it tries once more.
    void start();
    /// Whether it failed so recently that another try would fail too. Not permanent: wrong passwords and certificates
    /// may be corrected.
    bool hopeless() const;
    /// Whether a broken connection is replaced automatically.
    void keep(bool wanted) { m_wanted = wanted; }
    bool ready() const { return m_status.state == Status::State::Connected; }
    const Status& status() const { return m_status; }
    /// Precondition: ready().
    Wire& wire() { return *m_wire; }
    /// Number of the present connection, unique in this process. 0: not ready().
    std::uint32_t number() const { return ready() ? m_number : 0; }
    /// Ends the connection as if it had broken.
    void giveUp(Error error);

private:
    void connectNow();
    void greet();
    void onReply(Reply&& reply);
    void onClosed(Error error);
    void watch();
    void setStatus(Status status);

    Runtime& m_runtime;
    ConnectionUrl m_url;
    DriverOptions m_options;
    QString m_where;
    Handlers m_handlers;
    std::unique_ptr<Wire> m_wire;
    std::uint32_t m_number = 0;
    Status m_status;
    std::vector<Args> m_greeting;
    std::size_t m_greeted = 0; ///< greetings answered so far
    bool m_wanted = true;
    int m_failures = 0; ///< failed tries in a row
    Nanos m_failedAt{}; ///< when it entered Failed
    std::uint64_t m_bytesSeen = 0;
    Nanos m_quietSince{};
    bool m_pinged = false;
    OneShot m_timer; ///< connect time-out, next try, or watch for silence: one at a time
};

} // namespace lockscope::redis
