// SPDX-License-Identifier: Apache-2.0
#include "client/qt/connection_impl.h"

#include "client/connect.h"
#include "client/qt/translated.h"

#include <QCoreApplication>

namespace lockscope::qt {

std::expected<std::unique_ptr<Connection>, Error> Connection::make(const QString& url, const QString& identity,
                                                                   const Connection* beside) {
    const auto where = parseConnectionUrl(url);
    if (!where) return std::unexpected(Error{ErrorKind::InvalidArgument, where.error()});
    auto impl = Backing::make<Impl>();
    impl->runtime = beside ? beside->m_impl->runtime : std::make_shared<EventLoopRuntime>();
    impl->connection = makeConnection(*impl->runtime, *where, identity.toUtf8());
    if (!impl->connection) {
        return std::unexpected(
            Error{ErrorKind::NotSupported,
                  QCoreApplication::translate("LockError", "Locks over %1 are not supported.").arg(where->display())});
    }
    auto claim = IdentityClaim::make(impl->connection->client(), {*where});
    if (!claim) return std::unexpected(toldOf(claim.error()));
    impl->claim = *std::move(claim);
    return std::unique_ptr<Connection>(new Connection(std::move(impl)));
}

Connection::Connection(std::shared_ptr<Impl> impl) : m_impl(std::move(impl)) {
}

Connection::~Connection() = default;

Outcome<void> Connection::open(std::stop_token stop) {
    return told(m_impl->connection->open(std::move(stop)), m_impl);
}

Outcome<void> Connection::close() {
    return told(m_impl->connection->close(), m_impl);
}

Outcome<void> Connection::ping(std::stop_token stop) {
    return told(m_impl->connection->ping(std::move(stop)), m_impl);
}

QString Connection::schema() const {
    return m_impl->connection->schema();
}

Outcome<void> Connection::prepare(std::stop_token stop) {
    return told(m_impl->connection->prepare(std::move(stop)), m_impl);
}

QString Connection::identity() const {
    return QString::fromUtf8(m_impl->connection->client());
}

} // namespace lockscope::qt
