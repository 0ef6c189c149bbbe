// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/etcd/port.h"
#include "runtime/completion.h"
#include "runtime/signal_count.h"
#include "sim/etcd/socket.h"
#include "sim/process_inbox.h"

namespace lockscope::sim {

class EtcdWatch;

/// A simulated client's connection to one member, with any number of requests and watches at a time: the real driver
/// has a connection for each. Closed when nobody uses it any more.
class EtcdLink final : public std::enable_shared_from_this<EtcdLink> {
public:
    /// Everything outlives it. `server` nullptr: nobody has that address. `client`: its entity in the trace.
    EtcdLink(Grounds grounds, EtcdServer* server, Runtime& runtime, trace::EntityId client, QString where);
    ~EtcdLink();
    EtcdLink(const EtcdLink&) = delete;
    EtcdLink& operator=(const EtcdLink&) = delete;

    using Opened = std::expected<void, etcd::Error>;
    using Answer = std::expected<EtcdReply, etcd::Error>;
    /// Connects, unless it is connected.
    static QCoro::Task<Opened> open(std::shared_ptr<EtcdLink> self, Nanos timeout, std::stop_token stop);
    /// Sends a request. A refusal of the server is an answer. Precondition: usable.
    static QCoro::Task<Answer> ask(std::shared_ptr<EtcdLink> self, EtcdRequest request, Nanos timeout,
                                   std::stop_token stop);
    bool usable() const { return m_open && !m_over; }
    bool over() const { return m_over; }
    /// Ends all watches.
    void endWatches();
    /// Ends all calls and watches with that error.
    void close(const etcd::Error& error);

    Runtime& runtime;
    const QString where;

private:
    friend class EtcdWatch;
    void connect();
    void told(const EtcdNews& news);

    Grounds m_grounds;
    EtcdServer* m_server;
    trace::EntityId m_client;
    std::shared_ptr<EtcdSocket> m_socket;
    bool m_open = false, m_over = false;
    std::vector<Completion<Opened>> m_opening;
    std::map<std::uint64_t, Completion<Answer>> m_flight; ///< by number
    std::map<std::uint64_t, EtcdWatch*> m_watches;
    std::uint64_t m_last = 0;
    ProcessInbox m_inbox;
};

/// A watch over such a connection.
class EtcdWatch final : public etcd::Watch {
public:
    explicit EtcdWatch(std::shared_ptr<EtcdLink> link) : m_link(std::move(link)), m_runtime(m_link->runtime) {}
    ~EtcdWatch() override;

    /// Returns when the member has confirmed the watch. Called once.
    etcd::Result<void> start(EtcdRequest request, Nanos timeout, std::stop_token stop);
    std::int64_t revision() const override { return m_revision; }
    QCoro::Task<std::optional<etcd::WatchEvent>> next(Nanos timeout, std::stop_token stop = {}) override;
    void take(const EtcdNews& news);
    /// The connection has ended, or the member has given the watch up.
    void end(const etcd::Error& error);

private:
    void push(etcd::WatchEvent event);
    std::shared_ptr<EtcdLink> m_link;
    Runtime& m_runtime;
    std::uint64_t m_number = 0; ///< 0: not begun
    std::int64_t m_revision = 0;
    Completion<std::optional<etcd::Error>> m_started;
    std::deque<etcd::WatchEvent> m_events;
    SignalCount m_signals; ///< one for each event
};

} // namespace lockscope::sim
