// SPDX-License-Identifier: Apache-2.0
#include "client/blocking/access.h"

#include "client/blocking/history.h"
#include "client/blocking/service.h"
#include "client/connect.h"
#include "client/identity_claim.h"
#include "lock/distributed_condition.h"
#include "lock/distributed_multi_lock.h"

#include <QCoreApplication>
#include <algorithm>

namespace lockscope::blocking {

namespace {
ConnectionUrl read(std::string_view text) {
    auto url = parseConnectionUrl(QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())));
    if (!url) throwLockError({LockError::Kind::InvalidArgument, url.error()});
    return *std::move(url);
}

/// Over the connections of all clients that share the thread.
class Servers final : public detail::LockSource {
public:
    /// Adds a connection and returns its number; an error when its identity is in use. Locks over it are recorded in
    /// the history; nullptr: nowhere.
    std::expected<int, LockError> add(std::unique_ptr<Connection> connection, const std::shared_ptr<History>& history) {
        auto claim = IdentityClaim::make(connection->client(), {connection->url()});
        if (!claim) return std::unexpected(claim.error());
        if (history) {
            const auto writer = writerOf(history, connection->runtime());
            if (!writer) return std::unexpected(writer.error());
            connection->record(&(*writer)->recorder(),
                               detail::Access::trace(history)->intern(trace::EntityKind::Client, connection->client()));
        }
        m_connections.push_back(std::move(connection));
        m_claims.push_back(*std::move(claim));
        return static_cast<int>(m_connections.size()) - 1;
    }
    /// Removes a connection that could not be opened; its number stays unused.
    void drop(int number) {
        at(number).reset();
        m_claims.at(static_cast<std::size_t>(number)).reset();
    }
    Connection& connection(int number) { return *at(number); }
    QByteArray identity() const override { return m_connections.front()->client(); }
    QByteArray kindOf(const detail::LockWish& wish) const override {
        if (wish.options.recipe.empty()) return QByteArray::number(int(wish.mode));
        return QByteArray::fromStdString(wish.options.recipe);
    }
    std::expected<Made, LockError> make(const detail::LockWish& wish) override {
        HoldOptions options = wish.options;
        options.honourDeadline = honoursDeadlines;
        auto lock = wish.parts.empty() ? makeLock(*at(wish.space.toInt()), wish.name, wish.mode, options, wish.permits)
                                       : makeMultiLock(partsOf(wish), wish.options);
        if (!lock) return std::unexpected(lock.error());
        const QByteArray recipe = (*lock)->recipe().id;
        return Made{*std::move(lock), wish.parts.empty() ? recipe : kindOf(wish)};
    }
    std::unique_ptr<AnyCondition> makeCondition(AnyLock& lock, const QByteArray& space,
                                                const QByteArray& name) override {
        return std::make_unique<DistributedCondition>(*at(space.toInt()), static_cast<DistributedLock&>(lock), name);
    }
    trace::Recorder* recorder() override { return m_writers.empty() ? nullptr : &m_writers.front()->recorder(); }
    QCoro::Task<> close() override {
        std::vector<recipes::Outcome<void>> closing;
        closing.reserve(m_connections.size());
        for (const auto& connection : m_connections) {
            if (connection) closing.push_back(connection->close());
        }
        for (recipes::Outcome<void>& one : closing)
            co_await one;
        m_claims.clear();
    }

private:
    std::unique_ptr<Connection>& at(int number) { return m_connections.at(static_cast<std::size_t>(number)); }
    std::vector<lockscope::LockPart> partsOf(const detail::LockWish& wish) {
        std::vector<lockscope::LockPart> parts;
        for (const detail::LockWish::Part& part : wish.parts)
            parts.push_back({*at(part.server), part.name, part.recipe});
        return parts;
    }
    /// Clients that share a history share what writes it.
    std::expected<detail::HistoryWriter*, LockError> writerOf(const std::shared_ptr<History>& history,
                                                              Runtime& runtime) {
        const auto known = std::ranges::find_if(m_writers, [&](const auto& one) { return one->writes(history); });
        if (known != m_writers.end()) return known->get();
        auto made = detail::HistoryWriter::make(runtime, history);
        if (!made) return std::unexpected(made.error());
        return m_writers.emplace_back(*std::move(made)).get();
    }
    std::vector<std::unique_ptr<detail::HistoryWriter>> m_writers; ///< outlive the connections
    std::vector<std::unique_ptr<Connection>> m_connections;
    std::vector<std::unique_ptr<IdentityClaim>> m_claims; ///< of each connection, until it is closed
};

/// On the service's thread.
Connection& connectionOf(detail::Service& service, int number) {
    return static_cast<Servers&>(service.source()).connection(number);
}

std::expected<std::unique_ptr<Connection>, LockError> connect(Runtime& runtime, const ConnectionUrl& url,
                                                              const std::string& identity) {
    auto connection = makeConnection(runtime, url, QByteArray::fromStdString(identity));
    if (connection) return connection;
    return std::unexpected(
        LockError{LockError::Kind::NotSupported,
                  QCoreApplication::translate("LockError", "Locks over %1 are not supported.").arg(url.display())});
}

std::shared_ptr<detail::Service> serve(const ConnectionUrl& url, const ClientOptions& options) {
    using Source = std::expected<std::unique_ptr<detail::LockSource>, LockError>;
    return detail::startService([&](Runtime& runtime) -> Source {
        auto connection = connect(runtime, url, options.identity);
        if (!connection) return std::unexpected(connection.error());
        auto servers = std::make_unique<Servers>();
        const auto added = servers->add(*std::move(connection), options.history);
        if (!added) return std::unexpected(added.error());
        return servers;
    });
}

/// The advice for a server that could not be prepared. A file has no accounts.
LockError unprepared(LockError error, Service kind) {
    if (error.kind != LockError::Kind::Refused || kind == Service::Sqlite) return error;
    error.message += QLatin1Char(' ');
    error.message += QCoreApplication::translate(
        "LockError", "If this account may not create tables, let another account create them and set "
                     "ClientOptions::prepare = false.");
    return error;
}

/// Its number.
int serveToo(detail::Service& service, const ConnectionUrl& url, const ClientOptions& options) {
    return service.call<int>([&](std::stop_token) -> recipes::Outcome<int> {
        auto& servers = static_cast<Servers&>(service.source());
        auto connection = connect(service.runtime(), url, options.identity);
        if (!connection) co_return std::unexpected(connection.error());
        co_return servers.add(*std::move(connection), options.history);
    });
}
} // namespace

Client::Client(std::string_view url, const ClientOptions& options) {
    const ConnectionUrl where = read(url);
    if (options.beside) {
        m_service = options.beside->m_service;
        m_together = options.beside->m_together;
        m_number = serveToo(*m_service, where, options);
    } else {
        m_service = serve(where, options);
        m_together = std::make_shared<const bool>(true);
    }
    detail::Service& service = *m_service;
    const int number = m_number;
    m_identity = service
                     .call<QString>([&](std::stop_token stop) -> recipes::Outcome<QString> {
                         auto ready = co_await connectionOf(service, number).open(stop);
                         if (ready && options.prepare) {
                             ready = co_await connectionOf(service, number).prepare(stop);
                             if (!ready) ready = std::unexpected(unprepared(ready.error(), where.service));
                         }
                         if (ready) co_return QString::fromUtf8(connectionOf(service, number).client());
                         if (number > 0) static_cast<Servers&>(service.source()).drop(number);
                         co_return std::unexpected(ready.error());
                     })
                     .toStdString();
}

Client::~Client() {
    if (m_together.use_count() == 1) close();
}

std::string Client::identity() const {
    return m_identity;
}

void Client::ping() {
    detail::Service& service = *m_service;
    const int number = m_number;
    detail::callFor(service, [&](std::stop_token stop) { return connectionOf(service, number).ping(stop); });
}

std::string Client::schema() {
    detail::Service& service = *m_service;
    const int number = m_number;
    return service
        .call<QString>(
            [&](std::stop_token) -> recipes::Outcome<QString> { co_return connectionOf(service, number).schema(); })
        .toStdString();
}

void Client::prepare() {
    detail::Service& service = *m_service;
    const int number = m_number;
    detail::callFor(service, [&](std::stop_token stop) { return connectionOf(service, number).prepare(stop); });
}

LockTotals Client::totals() const {
    return m_service->totals();
}

void Client::close() noexcept {
    if (m_service) detail::closeService(m_service);
}

} // namespace lockscope::blocking
