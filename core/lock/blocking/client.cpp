// SPDX-License-Identifier: Apache-2.0
#include "lock/blocking/client.h"

#include "lock/blocking/service.h"
#include "lock/distributed_condition.h"

#include <QCoreApplication>

namespace lockscope::blocking {

namespace {
ConnectionUrl read(std::string_view text) {
    auto url = parseConnectionUrl(QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())));
    if (!url) throw std::invalid_argument(url.error().toStdString());
    return *std::move(url);
}

/// Over one connection.
class OneServer final : public detail::LockSource {
public:
    explicit OneServer(std::unique_ptr<Connection> connection) : m_connection(std::move(connection)) {}
    Connection& connection() { return *m_connection; }
    QByteArray identity() const override { return m_connection->client(); }
    QByteArray kindOf(const detail::LockWish& wish) const override {
        return wish.options.recipe.isEmpty() ? QByteArray::number(int(wish.mode)) : wish.options.recipe;
    }
    std::expected<Made, LockError> make(const detail::LockWish& wish) override {
        auto lock = makeLock(*m_connection, wish.name, wish.mode, wish.options, wish.permits);
        if (!lock) return std::unexpected(lock.error());
        const QByteArray recipe = (*lock)->recipe().id;
        return Made{*std::move(lock), recipe};
    }
    std::unique_ptr<AnyCondition> makeCondition(AnyLock& lock, const QByteArray& name) override {
        return std::make_unique<DistributedCondition>(*m_connection, static_cast<DistributedLock&>(lock), name);
    }
    QCoro::Task<> close() override { co_await m_connection->close(); }

private:
    std::unique_ptr<Connection> m_connection;
};

/// On the service's thread.
Connection& connectionOf(detail::Service& service) {
    return static_cast<OneServer&>(service.source()).connection();
}

std::shared_ptr<detail::Service> connect(const ConnectionUrl& url, const std::string& identity) {
    using Source = std::expected<std::unique_ptr<detail::LockSource>, LockError>;
    return detail::startService([&](Runtime& runtime) -> Source {
        auto connection = makeConnection(runtime, url, QByteArray::fromStdString(identity));
        if (connection) return std::make_unique<OneServer>(std::move(connection));
        return std::unexpected(
            LockError{LockError::Kind::NotSupported,
                      QCoreApplication::translate("LockError", "Locks over %1 are not supported.").arg(url.display())});
    });
}
} // namespace

Client::Client(std::string_view url, const ClientOptions& options) : m_service(connect(read(url), options.identity)) {
    detail::Service& service = *m_service;
    service.call<bool>([&](std::stop_token stop) -> recipes::Outcome<bool> {
        const auto opened = co_await connectionOf(service).open(stop);
        if (!opened) co_return std::unexpected(opened.error());
        co_return true;
    });
    if (options.prepare) prepare();
}

Client::~Client() {
    close();
}

std::string Client::identity() const {
    return m_service->identity().toStdString();
}

void Client::ping() {
    detail::Service& service = *m_service;
    service.call<bool>([&](std::stop_token stop) -> recipes::Outcome<bool> {
        const auto answered = co_await connectionOf(service).ping(stop);
        if (!answered) co_return std::unexpected(answered.error());
        co_return true;
    });
}

std::string Client::schema() {
    detail::Service& service = *m_service;
    return service
        .call<QString>([&](std::stop_token) -> recipes::Outcome<QString> { co_return connectionOf(service).schema(); })
        .toStdString();
}

void Client::prepare() {
    detail::Service& service = *m_service;
    service.call<bool>([&](std::stop_token stop) -> recipes::Outcome<bool> {
        const auto prepared = co_await connectionOf(service).prepare(stop);
        if (!prepared) co_return std::unexpected(prepared.error());
        co_return true;
    });
}

void Client::close() noexcept {
    if (m_service) detail::closeService(m_service);
}

} // namespace lockscope::blocking
