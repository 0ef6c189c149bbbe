// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "drivers/redis/line.h"

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

/// Several commands in flight with one waiter, in the frame of the coroutine that waits for all replies. When the frame
/// is destroyed, unsent commands are dropped, and the replies to sent ones are discarded.
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
    std::vector<Result> results; ///< in the order of the commands; complete when the waiter is woken

private:
    friend class CommandQueue;
    void complete(std::size_t index, Result&& value);
    CommandQueue* m_queue = nullptr; ///< while one of its entries exists
    std::size_t m_left;
};

/// The commands and replies of one connection: pipelined, answered in order. Without a connection, commands wait for
/// the next one, no longer than the command time-out.
class CommandQueue {
public:
    CommandQueue(Runtime& runtime, const ConnectionUrl& url, const DriverOptions& options,
                 std::function<void(const Status&)> onStatus);
    ~CommandQueue();

    /// Sends a command, or keeps it until it can be sent; completes `call` with its result.
    void submit(Pieces pieces, Call& call);
    /// As submit(), for several commands. Precondition: at least one, and as many as `calls` was made for.
    void submitAll(std::span<const Args> commands, Calls& calls);
    /// As submit(), for an EVALSHA.
    void submitEval(const QByteArray& sha1, const Args& keys, const Args& args, Call& call);
    /// Sends a command only over the connection with that number (Line::number), 0 = any.
    void submitOver(std::uint32_t connection, const Args& args, Call& call);
    Line& line() { return m_line; }
    /// Port::onReconnect.
    CallList& reconnects() { return m_reconnects; }
    /// The number of commands sent since the beginning, own pings included.
    std::uint64_t sentCount() const { return m_sentCount; }

private:
    friend class Call;
    friend class Calls;
    struct Pending {
        std::uint64_t id;
        Call* call; ///< nullptr: nobody waits any more, or `calls` waits
        Nanos deadline;
        QByteArray command;     ///< its first word
        QByteArray unsent;      ///< encoded, while it waits for a connection
        Calls* calls = nullptr; ///< the group that this command belongs to; nullptr: none
        std::size_t index = 0;  ///< the command's number in `calls`

        bool waitedFor() const { return call || calls; }
        /// Gives the waiter, if there still is one, the result; afterwards nobody waits.
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
    bool m_wasReady = false; ///< there was a connection before, which the next one replaces
    Line m_line;
};

} // namespace lockscope::redis
