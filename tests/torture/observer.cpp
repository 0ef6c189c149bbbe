// SPDX-License-Identifier: Apache-2.0
#include "observer.h"

#include <QUrl>

namespace lockscope::torture {

Observer::Observer(Runtime& runtime, const QString& url) : m_runtime(runtime), m_url(url) {
    QObject::connect(&m_socket, &QTcpSocket::connected, &m_socket, [this] { m_socket.write("MONITOR\r\n"); });
    QObject::connect(&m_socket, &QTcpSocket::readyRead, &m_socket, [this] { m_said += m_socket.readAll(); });
    QObject::connect(&m_socket, &QTcpSocket::disconnected, &m_socket, [this] { m_gap = true; });
}

QCoro::Task<bool> Observer::start() {
    const QUrl where(m_url);
    m_socket.connectToHost(where.host(), quint16(where.port()));
    const Nanos until = m_runtime.monotonic() + 5s;
    while (!m_said.startsWith("+OK\r\n") && m_runtime.monotonic() < until)
        co_await m_runtime.sleep(5ms);
    co_return m_said.startsWith("+OK\r\n");
}

} // namespace lockscope::torture
