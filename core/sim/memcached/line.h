// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/memcached/client.h"
#include "runtime/completion.h"
#include "sim/call_alarm.h"
#include "sim/memcached/socket.h"
#include "sim/process_inbox.h"

namespace lockscope::sim {

/// A simulated client's connection to one memcached, kept as the real driver keeps it: made when it is needed, again
/// when somebody wants to be told, and given up when an answer is late. Shared by the wire and its calls in flight.
class MemcachedLine final : public std::enable_shared_from_this<MemcachedLine> {
public:
    struct Settings {
        Nanos connectTimeout = 2s; ///< as the driver's
        Nanos commandTimeout = 3s; ///< from the call to the reply, connecting included
    };
    using Answer = std::expected<std::vector<MemcachedReply>, memcached::Error>;

    /// Everything outlives it. `server` nullptr: nobody has that address. `client`: its entity in the trace.
    MemcachedLine(Grounds grounds, MemcachedServer* server, Runtime& runtime, trace::EntityId client, QString where,
                  Settings settings);

    /// Sends commands in one packet. The replies are as many, and the first one is no error.
    static QCoro::Task<Answer> ask(std::shared_ptr<MemcachedLine> self, std::vector<MemcachedCommand> commands,
                                   std::stop_token stop);
    /// memcached::Port::onReconnect.
    CallList::Registration onReconnect(CallList::Callback back);
    /// Ends all calls with the error "closed on purpose".
    void shutDown();
    /// The number of the connection that the next command uses; 0: it needs a new one.
    std::uint64_t connection() const { return m_connection; }

    Runtime& runtime;
    const QString where;
    std::uint64_t sent = 0; ///< commands

private:
    struct Pending {
        std::uint64_t id;
        Completion<Answer> completion;
    };
    void connect();
    void greeted();
    void answered(std::vector<MemcachedReply> replies);
    void close(const memcached::Error& error);
    void connectAgain();
    void late(std::uint64_t id);

    Grounds m_grounds;
    MemcachedServer* m_server;
    trace::EntityId m_client;
    Settings m_settings;
    std::shared_ptr<MemcachedSocket> m_socket; ///< nullptr: there is none
    bool m_ready = false;                      ///< the server has answered the greeting
    bool m_wasReady = false;                   ///< there was a connection before, which the next one replaces
    bool m_gone = false;
    std::vector<std::vector<MemcachedCommand>> m_unsent; ///< until the server has answered the greeting
    std::deque<Pending> m_pending;                       ///< in the order of sending
    std::uint64_t m_lastId = 0, m_connection = 0;
    std::uint64_t m_connectionsMade = 0;
    CallList m_reconnects;
    ProcessInbox m_inbox;
    CallAlarm m_connectLimit, m_nextTry;
    bool m_triesAgain = false; ///< m_nextTry is set
};

} // namespace lockscope::sim
