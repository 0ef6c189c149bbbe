// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QRegularExpression>
#include <QTcpSocket>

namespace lockscope::tests {

/// The answer of a server on the loopback to a plain GET.
inline QByteArray got(int port, const char* path) {
    QTcpSocket socket;
    socket.connectToHost(QStringLiteral("127.0.0.1"), quint16(port));
    if (!socket.waitForConnected(5000)) return {};
    socket.write(QByteArray("GET ") + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    QByteArray all;
    while (socket.waitForReadyRead(2000)) {
        all += socket.readAll();
        const qsizetype head = all.indexOf("\r\n\r\n");
        static const QRegularExpression kLength(QStringLiteral("content-length: (\\d+)"),
                                                QRegularExpression::CaseInsensitiveOption);
        const auto length = kLength.match(QString::fromUtf8(all.first(std::max<qsizetype>(head, 0))));
        if (head > 0 && length.hasMatch() && all.size() >= head + 4 + length.captured(1).toLongLong()) break;
    }
    return all;
}

/// The port of the metrics that a watch has told of on stderr; 0: not yet.
inline int metricsPort(const QByteArray& err) {
    static const QRegularExpression kAddress(QStringLiteral("http://127\\.0\\.0\\.1:(\\d+)/metrics"));
    return kAddress.match(QString::fromUtf8(err)).captured(1).toInt();
}

} // namespace lockscope::tests
