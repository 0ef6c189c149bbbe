// SPDX-License-Identifier: Apache-2.0
#include "client/qt/connection_impl.h"

#include "client/connect.h"
#include "client/qt/translated.h"

#include <QCoreApplication>
#include <QThread>

namespace lockscope::qt {

std::expected<std::unique_ptr<Connection>, Error> Connection::make(const QString& url, const QString& identity,
                                                                   const Connection* beside) {
    const auto where = parseConnectionUrl(url);
    if (!where) return std::unexpected(Error{ErrorKind::InvalidArgument, where.error()});
    auto impl = std::make_unique<Impl>();
    impl->together = beside ? beside->m_impl->together : std::make_shared<Together>();
    auto connection = makeConnection(impl->together->runtime, *where, identity.toUtf8());
    if (!connection) {
        return std::unexpected(
            Error{ErrorKind::NotSupported,
                  QCoreApplication::translate("LockError", "Locks over %1 are not supported.").arg(where->display())});
    }
    auto claim = IdentityClaim::make(connection->client(), {*where});
    if (!claim) return std::unexpected(toldOf(claim.error()));
    impl->claim = *std::move(claim);
    impl->connection = connection.get();
    impl->together->connections.push_back(std::move(connection));
    return std::unique_ptr<Connection>(new Connection(std::move(impl)));
}

Connection::Connection(std::unique_ptr<Impl> impl) : m_impl(std::move(impl)) {
}

/// A coroutine that owns the connection ends in a call of its runtime, which has to come back first.
Connection::~Connection() {
    m_impl->claim.reset();
    if (QThread::currentThread()->loopLevel() > 0) m_impl.release()->deleteLater();
}

Outcome<void> Connection::open(std::stop_token stop) {
    return told(Inside::connection(*this).open(std::move(stop)));
}

Outcome<void> Connection::close() {
    return told(Inside::connection(*this).close());
}

Outcome<void> Connection::ping(std::stop_token stop) {
    return told(Inside::connection(*this).ping(std::move(stop)));
}

QString Connection::schema() const {
    return Inside::connection(*this).schema();
}

Outcome<void> Connection::prepare(std::stop_token stop) {
    return told(Inside::connection(*this).prepare(std::move(stop)));
}

QString Connection::identity() const {
    return QString::fromUtf8(Inside::connection(*this).client());
}

} // namespace lockscope::qt
