// SPDX-License-Identifier: Apache-2.0
#include "ports/etcd/codec.h"
#include "ports/etcd/http_reader.h"
#include "ports/memcached/binary_protocol.h"
#include "ports/memcached/text_protocol.h"
#include "ports/redis/resp.h"

#include <QTest>

using namespace lockscope;

/// A server, or whatever answers in its place, may announce any length. A length that no server sends is refused as
/// soon as it is announced: nobody waits for the data, and no memory is kept ready.
class TestAnswerLimits : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void redis_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<bool>("refused");
        QTest::newRow("text of 2^60") << QByteArray("$1152921504606846976\r\n") << true;
        QTest::newRow("text of 512 MB and one byte") << QByteArray("$536870913\r\n") << true;
        QTest::newRow("text of 512 MB") << QByteArray("$536870912\r\n") << false;
        QTest::newRow("text of more than 2^64") << QByteArray("$99999999999999999999") << true;
        QTest::newRow("inside of an array") << QByteArray("*2\r\n:1\r\n$1152921504606846976\r\n") << true;
        QTest::newRow("array of 2^31 - 1") << QByteArray("*2147483647\r\n") << true;
        QTest::newRow("array of 2^20") << QByteArray("*1048576\r\n") << false;
    }
    void redis() {
        QFETCH(QByteArray, bytes);
        QFETCH(bool, refused);
        lockscope::redis::ReplyReader reader;
        reader.feed({bytes.constData(), std::size_t(bytes.size())});
        const auto read = reader.next();
        QCOMPARE(!read.has_value(), refused);
        if (!refused) QVERIFY(!read->has_value());
        QCOMPARE(!reader.next().has_value(), refused); // and nothing more is read after an error
    }
    /// Elements whose room was not there from the start are all there.
    void longArraysAreRead() {
        constexpr int kMany = 5000;
        lockscope::redis::ReplyReader reader;
        QByteArray bytes = "*" + QByteArray::number(kMany) + "\r\n";
        for (int i = 0; i < kMany; ++i)
            bytes += "*2\r\n:" + QByteArray::number(i) + "\r\n$1\r\nx\r\n";
        for (const char byte : bytes)
            reader.feed({&byte, 1});
        const auto read = reader.next();
        QVERIFY(read && *read);
        QCOMPARE((*read)->items.size(), std::size_t(kMany));
        for (int i = 0; i < kMany; ++i) {
            QCOMPARE((*read)->items[std::size_t(i)].items.size(), std::size_t(2));
            QCOMPARE((*read)->items[std::size_t(i)].items[0].integer, i);
            QCOMPARE((*read)->items[std::size_t(i)].items[1].text, QByteArray("x"));
        }
    }
    void memcached() {
        lockscope::memcached::TextProtocol text;
        const QByteArray item = "VALUE a 0 1152921504606846976\r\n";
        text.feed(item.constData(), item.size());
        QVERIFY(!text.next());
        lockscope::memcached::BinaryProtocol binary;
        QByteArray header(24, '\0');
        header[0] = char(0x81);
        header.replace(8, 4, QByteArray("\xff\xff\xff\xff", 4));
        binary.feed(header.constData(), header.size());
        QVERIFY(!binary.next());
    }
    void http_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::newRow("length") << QByteArray("HTTP/1.1 200 OK\r\nContent-Length: 1152921504606846976\r\n\r\n");
        QTest::newRow("chunk") << QByteArray(
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1000000000000000\r\n");
        QTest::newRow("chunk extension, ended")
            << QByteArray("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;") + QByteArray(2000, 'x') +
                   "\r\nabcde\r\n";
        QTest::newRow("trailers") << QByteArray("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n") +
                                         QByteArray("X: yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy\r\n").repeated(4000);
    }
    void http() {
        QFETCH(QByteArray, bytes);
        etcd::HttpReader reader;
        reader.begin();
        QVERIFY(!reader.feed(bytes));
    }
    void leasesLongerThanEtcdGrants() {
        const auto answer = [](const char* ttl) { return QByteArray("{\"header\":{},\"TTL\":\"") + ttl + "\"}"; };
        QVERIFY(etcd::codec::leaseState(answer("9000000000")));
        QVERIFY(!etcd::codec::leaseState(answer("9000000001")));
        QVERIFY(!etcd::codec::leaseState(answer("9223372036854775807")));
    }
};

QTEST_APPLESS_MAIN(TestAnswerLimits)
#include "tst_answer_limits.moc"
