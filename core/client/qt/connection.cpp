// SPDX-License-Identifier: Apache-2.0
#include "client/qt/connection_impl.h"

#include "client/connect.h"
#include "client/qt/translated.h"

#include <QCoreApplication>

namespace lockscope::qt {

std::expected<blocking::detail::HistoryWriter*, LockError> Ground::writerOf(const std::shared_ptr<History>& history) {
    const auto known = std::ranges::find_if(writers, [&](const auto& one) { return one->writes(history); });
    if (known != writers.end()) return known->get();
    auto made = blocking::detail::HistoryWriter::make(runtime, history);
    if (!made) return std::unexpected(made.error());
    return writers.emplace_back(*std::move(made)).get();
}

std::expected<std::unique_ptr<Connection>, Error> Connection::make(const QString& url, const QString& identity,
                                                                   const Connection* beside) {
    const auto where = parseConnectionUrl(url);
    if (!where) return std::unexpected(Error{ErrorKind::InvalidArgument, where.error()});
    auto impl = Backing::make<Impl>();
    impl->ground = beside ? beside->m_impl->ground : std::make_shared<Ground>();
    impl->connection = makeConnection(impl->runtime(), *where, identity.toUtf8());
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

LockTotals Connection::totals() const {
    return m_impl->meter.totals();
}

std::expected<void, Error> Connection::record(const std::shared_ptr<History>& history) {
    lockscope::Connection& connection = *m_impl->connection;
    if (!history) {
        connection.record(nullptr, trace::kNoEntity);
        return {};
    }
    const auto writer = m_impl->ground->writerOf(history);
    if (!writer) return std::unexpected(toldOf(writer.error()));
    trace::Recorder& recorder = (*writer)->recorder();
    connection.record(&recorder, recorder.trace().intern(trace::EntityKind::Client, connection.client()));
    return {};
}

} // namespace lockscope::qt
