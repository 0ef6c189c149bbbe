// SPDX-License-Identifier: Apache-2.0
// Words that administrators ask a server by its client port ("srvr", "cons"), each over a connection of its own.
#include "drivers/zookeeper/driver.h"
#include "drivers/zookeeper/driver_core.h"
#include "runtime/completion.h"

#include <QNetworkProxy>
#include <QTcpSocket>

namespace lockscope::zookeeper {

namespace {
constexpr Nanos kLongestAnswer = 2s;
constexpr qint64 kMostBytes = 8 << 20; ///< about fifty thousand connections
} // namespace

QCoro::Task<QByteArray> ZooKeeperDriver::askServer(Endpoint server, QByteArray word, std::stop_token stop) {
    if (m_core->url.tls) co_return QByteArray();
    const Completion<bool> over;
    QTcpSocket socket;
    socket.setProxy(QNetworkProxy::NoProxy);
    QObject::connect(&socket, &QTcpSocket::connected, &socket, [&socket, word] { socket.write(word); });
    QObject::connect(&socket, &QTcpSocket::readyRead, &socket, [&socket, over] {
        if (socket.bytesAvailable() > kMostBytes) over.complete(true);
    });
    QObject::connect(&socket, &QTcpSocket::errorOccurred, &socket, [over] { over.complete(true); }); // also at its end
    socket.connectToHost(server.host, server.port);
    co_await over.wait(m_core->runtime, kLongestAnswer, std::move(stop));
    co_return socket.readAll();
}

} // namespace lockscope::zookeeper
