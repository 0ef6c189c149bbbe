// SPDX-License-Identifier: Apache-2.0
#include "sim/etcd/link.h"

#include "ports/etcd/errors.h"
#include "sim/etcd/server.h"

namespace lockscope::sim {

namespace errors = etcd::errors;
using etcd::WatchEvent;

namespace {
etcd::Error unreachable(QAbstractSocket::SocketError why, const QString& where) {
    return errors::ended({net::Ending::Kind::Unreachable, why, QStringLiteral("Host not found")}, where);
}
} // namespace

EtcdLink::EtcdLink(Grounds grounds, EtcdServer* server, Runtime& r, trace::EntityId client, QString w)
    : runtime(r), where(std::move(w)), m_grounds(grounds), m_server(server), m_client(client), m_inbox(r) {
}

EtcdLink::~EtcdLink() {
    if (m_socket) m_socket->close();
}

void EtcdLink::connect() {
    const std::weak_ptr<EtcdLink> weak = weak_from_this();
    // Handled when the process runs.
    const auto with = [weak](auto work) {
        return [weak, work](const auto&... values) {
            const auto self = weak.lock();
            if (!self || self->m_over) return;
            if (self->m_inbox.doesAtOnce()) return work(*self, values...);
            self->m_inbox.arrived([weak, work, values...] {
                const auto still = weak.lock();
                if (still && !still->m_over) work(*still, values...);
            });
        };
    };
    EtcdSocket::ClientEnd end;
    end.accepted = with([](EtcdLink& self) {
        self.m_open = true;
        for (const Completion<Opened>& opening : std::exchange(self.m_opening, {}))
            opening.complete(Opened());
    });
    end.answered = with([](EtcdLink& self, std::uint64_t number, const EtcdReply& reply) {
        const auto flight = self.m_flight.extract(number);
        if (!flight.empty()) flight.mapped().complete(reply);
    });
    end.told = with([](EtcdLink& self, const EtcdNews& news) { self.told(news); });
    end.ended = with([](EtcdLink& self) {
        self.close(self.m_open ? errors::closed(self.where)
                               : unreachable(QAbstractSocket::ConnectionRefusedError, self.where));
    });
    Network::Link& link = m_grounds.network.between(m_client, m_server->entity());
    m_socket = std::make_shared<EtcdSocket>(m_grounds, link, m_client, *m_server, std::move(end));
    m_socket->connect();
}

void EtcdLink::told(const EtcdNews& news) {
    const auto watch = m_watches.find(news.watch);
    if (watch != m_watches.end()) watch->second->take(news);
}

void EtcdLink::endWatches() {
    const std::map<std::uint64_t, EtcdWatch*> watches = std::exchange(m_watches, {});
    for (const auto& [number, watch] : watches)
        watch->end(errors::closed(where));
}

void EtcdLink::close(const etcd::Error& error) {
    const auto self = shared_from_this(); // a call that ends may be its last user
    if (std::exchange(m_over, true)) return;
    if (m_socket) m_socket->close();
    for (const Completion<Opened>& opening : std::exchange(m_opening, {}))
        opening.complete(std::unexpected(error));
    for (const auto& [number, completion] : std::exchange(m_flight, {}))
        completion.complete(std::unexpected(error));
    const std::map<std::uint64_t, EtcdWatch*> watches = std::exchange(m_watches, {});
    for (const auto& [number, watch] : watches)
        watch->end(error);
}

QCoro::Task<EtcdLink::Opened> EtcdLink::open(std::shared_ptr<EtcdLink> self, Nanos timeout, std::stop_token stop) {
    if (self->usable()) co_return Opened();
    etcd::Error gone = errors::closed(self->where);
    gone.kind = etcd::Error::Kind::Unreachable; // nothing was sent on it
    if (self->m_over) co_return std::unexpected(gone);
    if (!self->m_server) co_return std::unexpected(unreachable(QAbstractSocket::HostNotFoundError, self->where));
    const Completion<Opened> opening = self->m_opening.emplace_back();
    if (!self->m_socket) self->connect();
    std::optional<Opened> opened = co_await opening.wait(self->runtime, timeout, std::move(stop));
    if (!opened) co_return std::unexpected(errors::connectTimeout(timeout, self->where));
    co_return *opened;
}

QCoro::Task<EtcdLink::Answer> EtcdLink::ask(std::shared_ptr<EtcdLink> self, EtcdRequest request, Nanos timeout,
                                            std::stop_token stop) {
    const std::uint64_t number = ++self->m_last;
    const Completion<Answer> completion;
    self->m_flight.emplace(number, completion);
    self->m_socket->ask(number, std::move(request));
    std::optional<Answer> answer;
    try {
        Completion<Answer>::Place place(completion, self->runtime, timeout, std::move(stop));
        co_await place.end();
        answer = completion.take();
    } catch (const Cancelled&) {
        self->m_flight.erase(number);
        throw;
    }
    self->m_flight.erase(number);
    if (!answer) co_return std::unexpected(errors::requestTimeout(timeout, self->where));
    co_return std::move(*answer);
}

// --- watches ---

EtcdWatch::~EtcdWatch() {
    if (m_number == 0 || m_link->m_watches.erase(m_number) == 0 || !m_link->usable()) return;
    EtcdRequest cancel;
    cancel.kind = EtcdRequest::Kind::CancelWatch;
    cancel.watch = m_number;
    m_link->m_socket->ask(0, cancel);
}

etcd::Result<void> EtcdWatch::start(EtcdRequest request, Nanos timeout, std::stop_token stop) {
    m_number = ++m_link->m_last;
    m_link->m_watches[m_number] = this;
    request.watch = m_number;
    m_link->m_socket->ask(m_number, std::move(request));
    const auto started = co_await m_started.wait(m_runtime, timeout, std::move(stop));
    if (!started) co_return std::unexpected(errors::requestTimeout(timeout, m_link->where));
    if (*started) co_return std::unexpected(**started);
    co_return std::expected<void, etcd::Error>();
}

void EtcdWatch::take(const EtcdNews& news) {
    if (news.created) {
        m_revision = news.revision;
        m_started.complete(std::nullopt);
    }
    for (const WatchEvent& event : news.events)
        push(event);
    if (news.compacted == 0) return;
    m_link->m_watches.erase(m_number);
    end(errors::refused(200, 11, QStringLiteral("etcdserver: mvcc: required revision has been compacted"),
                        m_link->where));
}

void EtcdWatch::end(const etcd::Error& error) {
    m_started.complete(error);
    WatchEvent gap;
    gap.error = error;
    push(std::move(gap));
}

void EtcdWatch::push(WatchEvent event) {
    m_events.push_back(std::move(event));
    m_signals.release();
}

QCoro::Task<std::optional<WatchEvent>> EtcdWatch::next(Nanos timeout, std::stop_token stop) {
    if (!m_signals.tryAcquire()) {
        SignalCount::Place place(m_signals, m_runtime, timeout, std::move(stop));
        co_await place.end();
        if (!place.served()) co_return std::nullopt;
    }
    WatchEvent event = std::move(m_events.front());
    m_events.pop_front();
    co_return event;
}

} // namespace lockscope::sim
