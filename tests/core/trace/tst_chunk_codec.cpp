// SPDX-License-Identifier: Apache-2.0
#include "synthetic/synthetic.h"
#include "trace/chunk_codec.h"

#include <QRandomGenerator>
#include <QTest>

using namespace lockscope::trace;

class TestChunkCodec : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void roundTripsExtremes();
    void roundTripsAnyRows_data();
    void roundTripsAnyRows();
    void isSmall();
    void findsAnyChangedByte();
    void staysInsideWhateverTheBytes();
    void refusesUnknownNamesAndTimesThatGoBack();
    void believesWhatRowsMayContain();

private:
    static QByteArray* column(EncodedChunk& c, int i) {
        QByteArray* const all[] = {&c.at, &c.value, &c.actor, &c.subject, &c.aux, &c.kind, &c.flags};
        return all[i];
    }
    std::unique_ptr<Columns> m_rows = std::make_unique<Columns>();
};

void TestChunkCodec::roundTripsExtremes() {
    Trace trace;
    const std::vector<Event> events{
        {INT64_MIN, INT64_MIN, 0, 0, 0, EventKind::None, 0},
        {0, INT64_MAX, 0, 0, UINT32_MAX, static_cast<EventKind>(255), 255},
        {kLatestEvent, -1, 0, 0, 1, EventKind::Step, 1},
    };
    // From the middle one on times fit: a difference over the whole range does not, and no trace has negative times.
    for (std::size_t i = 1; i < events.size(); ++i)
        trace.append(events[i]);
    const EncodedChunk chunk = encodeChunk(trace, 0, 2);
    QVERIFY(decodeChunk(chunk, *m_rows, 1, 0));
    QCOMPARE(m_rows->get(0), events[1]);
    QCOMPARE(m_rows->get(1), events[2]);
    QVERIFY(decodeChunk(encodeChunk(trace, 2, 0), *m_rows, 1, 0));
}

void TestChunkCodec::roundTripsAnyRows_data() {
    QTest::addColumn<int>("first");
    QTest::addColumn<int>("count");
    QTest::newRow("one") << 5 << 1;
    QTest::newRow("some") << 1000 << 777;
    QTest::newRow("full") << 4096 << 4096;
}

void TestChunkCodec::roundTripsAnyRows() {
    QFETCH(int, first);
    QFETCH(int, count);
    const auto trace = syntheticTrace(10'000, 30, 2);
    const EncodedChunk chunk = encodeChunk(*trace, std::size_t(first), std::size_t(count));
    QVERIFY(decodeChunk(chunk, *m_rows, trace->entityCount(), INT64_MIN));
    for (int i = 0; i < count; ++i)
        QCOMPARE(m_rows->get(std::size_t(i)), trace->at(std::size_t(first + i)));
}

void TestChunkCodec::isSmall() {
    const auto trace = syntheticTrace(8192, 30, 2);
    const EncodedChunk c = encodeChunk(*trace, 4096, 4096);
    const qsizetype bytes = c.at.size() + c.value.size() + c.actor.size() + c.subject.size() + c.aux.size() +
                            c.kind.size() + c.flags.size();
    QVERIFY2(bytes < 4096 * 16, qPrintable(QString::number(bytes)));
}

void TestChunkCodec::findsAnyChangedByte() {
    const auto trace = syntheticTrace(4096, 10, 2);
    const EncodedChunk good = encodeChunk(*trace, 0, 4096);
    QRandomGenerator random(1);
    for (int i = 0; i < 700; ++i) {
        EncodedChunk bad = good;
        QByteArray& bytes = *column(bad, i % 7);
        if (bytes.isEmpty()) continue;
        bytes[random.bounded(bytes.size())] ^= char(1 << random.bounded(8));
        QVERIFY(!decodeChunk(bad, *m_rows, trace->entityCount(), INT64_MIN));
    }
    EncodedChunk bad = good;
    bad.firstAt += 1;
    QVERIFY(!decodeChunk(bad, *m_rows, trace->entityCount(), INT64_MIN));
    bad = good;
    bad.rows = 4095;
    QVERIFY(!decodeChunk(bad, *m_rows, trace->entityCount(), INT64_MIN));
    bad.rows = 1u << 30;
    QVERIFY(!decodeChunk(bad, *m_rows, trace->entityCount(), INT64_MIN));
}

void TestChunkCodec::staysInsideWhateverTheBytes() {
    // With a matching checksum nothing protects but the bounds: random columns must neither crash nor be believed
    // beyond their end. (Run under AddressSanitizer this is the proof.)
    QRandomGenerator random(2);
    for (int round = 0; round < 300; ++round) {
        EncodedChunk chunk;
        chunk.rows = std::size_t(random.bounded(1, 200));
        for (int i = 0; i < 7; ++i) {
            QByteArray& bytes = *column(chunk, i);
            bytes.resize(random.bounded(1, 150)); // too short for the rows, most times
            for (char& c : bytes)
                c = char(random.bounded(256));
        }
        QVERIFY(!decodeChunk(chunk, *m_rows, 1'000'000, 0));
    }
}

void TestChunkCodec::refusesUnknownNamesAndTimesThatGoBack() {
    Trace trace;
    const EntityId a = trace.intern(EntityKind::Client, "A");
    trace.append({100, 0, a, 0, 0, EventKind::ClientStarted, 0});
    const EncodedChunk chunk = encodeChunk(trace, 0, 1);
    QVERIFY(decodeChunk(chunk, *m_rows, 2, 100));
    QVERIFY(!decodeChunk(chunk, *m_rows, 1, 100));
    QVERIFY(!decodeChunk(chunk, *m_rows, 2, 101));
}

/// Values that mean something else than a number: a recording with them is not damaged.
void TestChunkCodec::believesWhatRowsMayContain() {
    const auto believed = [this](EventKind kind, std::int64_t value) {
        Trace trace;
        const EntityId lock = trace.intern(EntityKind::Lock, "orders");
        trace.append({100, value, 0, lock, 0, kind, 0});
        return decodeChunk(encodeChunk(trace, 0, 1), *m_rows, 2, 100);
    };
    for (const std::int64_t value : {-1, 0, 1, 3}) // -1: most of an ensemble decide again
        QVERIFY(believed(EventKind::RecordDecider, value));
    QVERIFY(!believed(EventKind::RecordDecider, -2));
    QVERIFY(believed(EventKind::ConnectionLost, 3'000'000'000));
    QVERIFY(!believed(EventKind::ConnectionLost, -1));
}

QTEST_APPLESS_MAIN(TestChunkCodec)
#include "tst_chunk_codec.moc"
