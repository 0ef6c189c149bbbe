// SPDX-License-Identifier: Apache-2.0
#include "connections/connection.h"
#include "client/connect.h"
#include "client/identity_claim.h"
#include "client/qt/translated.h"
#include "runtime/event_loop_runtime.h"

#include <QCoreApplication>
#include <QThread>
#include <lockscope/qt/connection.h>

namespace lockscope::qt {

struct Connection::Impl : QObject {
    EventLoopRuntime runtime;
    std::unique_ptr<lockscope::Connection> connection;
    std::unique_ptr<IdentityClaim> claim;
};

std::expected<std::unique_ptr<Connection>, Error> Connection::make(const QString& url, const QString& identity) {
    const auto where = parseConnectionUrl(url);
    if (!where) return std::unexpected(Error{ErrorKind::InvalidArgument, where.error()});
    auto impl = std::make_unique<Impl>();
    impl->connection = makeConnection(impl->runtime, *where, identity.toUtf8());
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

Connection::Connection(std::unique_ptr<Impl> impl) : m_impl(std::move(impl)) {
}

/// A coroutine that owns the connection ends in a call of its runtime, which has to come back first.
Connection::~Connection() {
    m_impl->claim.reset();
    if (QThread::currentThread()->loopLevel() > 0) m_impl.release()->deleteLater();
}

lockscope::Connection& Connection::inner() const {
    return *m_impl->connection;
}

Outcome<void> Connection::open(std::stop_token stop) {
    return told(inner().open(std::move(stop)));
}

Outcome<void> Connection::close() {
    return told(inner().close());
}

Outcome<void> Connection::ping(std::stop_token stop) {
    return told(inner().ping(std::move(stop)));
}

QString Connection::schema() const {
    return inner().schema();
}

Outcome<void> Connection::prepare(std::stop_token stop) {
    return told(inner().prepare(std::move(stop)));
}

QString Connection::identity() const {
    return QString::fromUtf8(inner().client());
}

} // namespace lockscope::qt
