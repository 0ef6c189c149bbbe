// SPDX-License-Identifier: Apache-2.0
#include "ports/endpoint.h"
#include "ports/redis/cluster_keys.h"

#include <QTest>

using namespace lockscope::redis;

class TestClusterKeys : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void addressesThatServersWrite() {
        const auto of = [](const char* text) { return lockscope::endpointOf(QString::fromLatin1(text)); };
        QVERIFY(of("10.0.0.5:6379") == (lockscope::Endpoint{QStringLiteral("10.0.0.5"), 6379}));
        QVERIFY(of("[::1]:7000") == (lockscope::Endpoint{QStringLiteral("::1"), 7000}));
        QVERIFY(of("2001:db8::5:7000") == (lockscope::Endpoint{QStringLiteral("2001:db8::5"), 7000}));
        QVERIFY(of(":0") == (lockscope::Endpoint{QString(), 0}));
        for (const char* text : {"", "host", "host:", "host:65536", "host:-1", "host:+1", "host:1x"})
            QVERIFY2(!of(text), text);
    }

    void checksum() {
        QCOMPARE(crc16("123456789"), std::uint16_t(0x31C3)); // of the specification
        QCOMPARE(crc16(""), std::uint16_t(0));
    }
    void slotOfAKey_data() { // as redis-cli says: CLUSTER KEYSLOT
        QTest::addColumn<QByteArray>("key");
        QTest::addColumn<int>("slot");
        QTest::newRow("plain") << QByteArray("foo") << 12182;
        QTest::newRow("another") << QByteArray("bar") << 5061;
        QTest::newRow("empty") << QByteArray("") << 0;
        QTest::newRow("tagged") << QByteArray("a{foo}b") << 12182;
        QTest::newRow("helper key") << QByteArray("redisson_lock__channel:{foo}") << 12182;
        QTest::newRow("two tags: the first") << QByteArray("{foo}{bar}") << 12182;
        QTest::newRow("nested: up to the first close") << QByteArray("a{{foo}}") << keySlot("{foo");
    }
    void slotOfAKey() {
        QFETCH(QByteArray, key);
        QFETCH(int, slot);
        QCOMPARE(keySlot(key), slot);
    }
    void bracesThatAreNoTag() {
        // Empty, or not closed: the whole key counts.
        QCOMPARE(keySlot("foo{}"), int(crc16("foo{}") % kClusterSlots));
        QCOMPARE(keySlot("foo{bar"), int(crc16("foo{bar") % kClusterSlots));
        QCOMPARE(keySlot("foo}bar"), int(crc16("foo}bar") % kClusterSlots));
        QCOMPARE(keySlot("foo{}{bar}"), int(crc16("foo{}{bar}") % kClusterSlots));
        QVERIFY(keySlot("foo{}{bar}") != keySlot("bar"));
    }
    void keysOfCommands_data() {
        QTest::addColumn<QByteArrayList>("command");
        QTest::addColumn<QByteArrayList>("keys");
        using L = QByteArrayList;
        QTest::newRow("SET") << L{"SET", "k", "v", "NX", "PX", "1"} << L{"k"};
        QTest::newRow("lower case") << L{"get", "k"} << L{"k"};
        QTest::newRow("DEL") << L{"DEL", "a", "b", "c"} << L{"a", "b", "c"};
        QTest::newRow("EVALSHA") << L{"EVALSHA", "sha", "2", "a", "b", "argument"} << L{"a", "b"};
        QTest::newRow("EVAL without keys") << L{"EVAL", "return 1", "0", "argument"} << L{};
        QTest::newRow("EVAL that says too many") << L{"EVAL", "return 1", "9", "a"} << L{"a"};
        QTest::newRow("EVAL that says nothing") << L{"EVAL", "return 1"} << L{};
        QTest::newRow("MSET") << L{"MSET", "a", "1", "b", "2"} << L{"a", "b"};
        QTest::newRow("OBJECT") << L{"OBJECT", "ENCODING", "k"} << L{"k"};
        QTest::newRow("BLPOP") << L{"BLPOP", "a", "b", "5"} << L{"a", "b"};
        QTest::newRow("PING") << L{"PING"} << L{};
        QTest::newRow("PUBLISH") << L{"PUBLISH", "channel", "0"} << L{};
        QTest::newRow("WAIT") << L{"WAIT", "1", "1000"} << L{};
        QTest::newRow("unknown") << L{"XYZ", "k", "v"} << L{"k"};
        QTest::newRow("unknown alone") << L{"XYZ"} << L{};
    }
    void keysOfCommands() {
        QFETCH(QByteArrayList, command);
        QFETCH(QByteArrayList, keys);
        const auto found = keysOf(Args(command.begin(), command.end()));
        QCOMPARE(QByteArrayList(found.begin(), found.end()), keys);
    }
    void redirections() {
        const auto moved = redirectionOf("MOVED", QStringLiteral("127.0.0.1:1 says: MOVED 3999 127.0.0.1:6381"));
        QVERIFY(moved);
        QCOMPARE(moved->slot, 3999);
        QCOMPARE(moved->host, QStringLiteral("127.0.0.1"));
        QCOMPARE(moved->port, std::uint16_t(6381));
        const auto ask = redirectionOf("ASK", QStringLiteral("x says: ASK 1 ::1:6381"));
        QVERIFY(ask);
        QCOMPARE(ask->host, QStringLiteral("::1"));
        const auto same = redirectionOf("MOVED", QStringLiteral("MOVED 3999 :6381"));
        QVERIFY(same && same->host.isEmpty());
    }
    void brokenRedirections() {
        for (const char* text : {"MOVED", "MOVED 1", "MOVED x 127.0.0.1:1", "MOVED 16384 h:1", "MOVED -1 h:1",
                                 "MOVED 1 h", "MOVED 1 h:0", "MOVED 1 h:99999", "nothing"})
            QVERIFY2(!redirectionOf("MOVED", QString::fromLatin1(text)), text);
        QVERIFY(!redirectionOf("ERR", QStringLiteral("MOVED 1 h:1")));
    }
};

QTEST_GUILESS_MAIN(TestClusterKeys)
#include "tst_cluster_keys.moc"
