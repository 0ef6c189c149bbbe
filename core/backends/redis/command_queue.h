// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/redis/line.h"

#include <deque>

namespace lockscope::redis {

class CommandQueue;

/// One command in flight, in the frame of the coroutine that waits. When the frame is destroyed, an unsent command is
/// dropped, and the reply to a sent one is discarded.
class Call {
public:
    Call(Runtime& runtime, std::stop_token stop) : waiter(runtime, kNever, std::move(stop)) {}
    ~Call();
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

    Waiter waiter;
    std::optional<Result> result; ///< set when the waiter is woken

private:
    friend class CommandQueue;
    void complete(Result&& value);
    CommandQueue* m_queue = nullptr; ///< while its entry exists
    std::uint64_t m_id = 0;
};

/// Commands that go out together and whose replies are waited for together, in the frame of the coroutine that waits.
/// When the frame goes, the replies are thrown away.
class Calls {
public:
    Calls(Runtime& runtime, std::size_t count, std::stop_token stop)
        : waiter(runtime, kNever, std::move(stop)), m_left(count) {
        results.reserve(count);
    }
    ~Calls();
    Calls(const Calls&) = delete;
    Calls& operator=(const Calls&) = delete;

    Waiter waiter;
    std::vector<Result> results; ///< in the order of the commands; whole when the waiter was woken

private:
    friend class CommandQueue;
    void complete(std::size_t index, Result&& value);
    CommandQueue* m_queue = nullptr; ///< while an entry of it exists
    std::size_t m_left;
};

/// Commands and their replies on one connection: many at a time, answered in order. Commands given while there is no
/// connection wait for the next one, no longer than the command time-out.
class CommandQueue {
public:
    CommandQueue(Runtime& runtime, const ConnectionUrl& url, const DriverOptions& options,
                 std::function<void(const Status&)> onStatus);
    ~CommandQueue();

    /// Sends a command, or keeps it until it can be sent; completes `call` with its result.
    void submit(Pieces pieces, Call& call);
    /// As submit(), for several. Precondition: there are some, as many as `calls` was made for.
    void submitAll(std::span<const Args> commands, Calls& calls);
    /// The same for an EVALSHA.
    void submitEval(const QByteArray& sha1, const Args& keys, const Args& args, Call& call);
    /// Sends a command only over the connection with that number (Line::number), 0 = any.
    void submitOver(std::uint32_t connection, const Args& args, Call& call);
    Line& line() { return m_line; }
    /// Port::onReconnect.
    CallList& reconnects() { return m_reconnects; }
    /// Commands sent since the beginning, own pings included.
    std::uint64_t sentCount() const { return m_sentCount; }

private:
    friend class Call;
    friend class Calls;
    struct Pending {
        std::uint64_t id;
        Call* call; ///< null: nobody waits any more, or several wait together
        Nanos deadline;
        QByteArray command;     ///< its first word
        QByteArray unsent;      ///< encoded, while it waits for a connection
        Calls* calls = nullptr; ///< it is one of these
        std::size_t index = 0;  ///< among them

        bool waitedFor() const { return call || calls; }
        /// Tells how it went, if somebody still waits; nobody does afterwards.
        void complete(Result&& value);
    };
    void enqueue(Pieces pieces, Pending&& pending);
    void onReady();
    void onReply(Reply&& reply);
    void onLost(const Error& error, bool wasReady);
    void ping();
    void abandon(std::uint64_t id);
    void abandon(const Calls& calls);
    void armTimer();
    void onTime();
    void pruneFront();

    Runtime& m_runtime;
    DriverOptions m_options;
    QString m_where;
    bool m_tls;
    std::deque<Pending> m_pending; ///< by id; the first m_onWire of them were sent
    std::size_t m_onWire = 0;
    std::uint64_t m_lastId = 0;
    std::uint64_t m_sentCount = 0;
    OneShot m_timer;
    CallList m_reconnects;
    bool m_wasReady = false; ///< the next connection replaces one
    Line m_line;
};

} // namespace lockscope::redis
