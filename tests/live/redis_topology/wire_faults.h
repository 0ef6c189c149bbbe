// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "fake_redis.h"

#include <QTest>

namespace lockscope::test {

/// A fault of the wire to a server, and the command from which on it occurs.
enum class Fault : std::uint8_t { Cut, CutInReply, Silence, Slow, Garbage };

inline QByteArray misbehave(QTcpSocket& socket, Fault fault, const QByteArray& good) {
    switch (fault) {
    case Fault::Cut:
        socket.abort();
        return {};
    case Fault::CutInReply:
        socket.write("$10\r\nhal");
        socket.flush();
        socket.disconnectFromHost();
        return {};
    case Fault::Silence:
        FakeRedis::hold(socket);
        return {};
    case Fault::Slow:
        if (!socket.property("held").toBool()) FakeRedis::hold(socket, 1500ms);
        return good;
    case Fault::Garbage:
        return "HTTP/1.1 400 Bad Request\r\n\r\n";
    }
    return {};
}

inline void addFaults() {
    QTest::addColumn<int>("fault");
    QTest::newRow("connection cut") << int(Fault::Cut);
    QTest::newRow("cut in the middle of a reply") << int(Fault::CutInReply);
    QTest::newRow("no reply") << int(Fault::Silence);
    QTest::newRow("slow reply") << int(Fault::Slow);
    QTest::newRow("garbage") << int(Fault::Garbage);
}

} // namespace lockscope::test
