// SPDX-License-Identifier: Apache-2.0
#include "synthetic/synthetic.h"
#include "trace/export.h"

#include <QBuffer>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

using namespace lockscope;
using namespace lockscope::trace;

class TestTraceExport : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void csvIsExact();
    void jsonlIsExact();
    void everyLineOfALongTraceParses();
    void sayWhatTheDeviceSays();
    void canBeStopped();

private:
    static Trace& sample(Trace& t) {
        const EntityId a = t.intern(EntityKind::Client, "A"), thread = t.intern(EntityKind::Thread, "1", a);
        const EntityId lock = t.intern(EntityKind::Lock, "orders, \"big\"");
        t.append({5, 33, thread, lock, 1, EventKind::Granted, 0});
        t.append({6, 0, a, 0, 0, EventKind::ClientPaused, std::uint8_t(kByHand | kFault)});
        t.append({7, 0, 0, lock, thread, EventKind::RecordFreed, std::uint8_t(FreedBy::Expiry)});
        t.append({8, 0, thread, lock, t.text("gone\n持有者"), EventKind::Lost, 0});
        return t;
    }
};

void TestTraceExport::csvIsExact() {
    Trace trace;
    QBuffer out;
    QVERIFY(out.open(QIODevice::WriteOnly));
    QVERIFY(exportCsv(sample(trace), out).has_value());
    QCOMPARE(QString::fromUtf8(out.data()),
             QStringLiteral("time_ns,kind,actor,subject,value,aux,flags,text\n"
                            "5,granted,A · 1,\"orders, \"\"big\"\"\",33,1,,\n"
                            "6,client-paused,A,,0,0,by-hand fault,\n"
                            "7,record-freed,,\"orders, \"\"big\"\"\",0,0,expiry,A · 1\n"
                            "8,lost,A · 1,\"orders, \"\"big\"\"\",0,0,,gone\\x0a持有者\n")); // one event, one line
}

void TestTraceExport::jsonlIsExact() {
    Trace trace;
    QBuffer out;
    QVERIFY(out.open(QIODevice::WriteOnly));
    QVERIFY(exportJsonl(sample(trace), out).has_value());
    const QByteArrayList lines = out.data().split('\n');
    QCOMPARE(lines.size(), 5);
    QCOMPARE(QString::fromUtf8(lines[1]),
             QStringLiteral("{\"time_ns\":6,\"kind\":\"client-paused\",\"actor\":\"A\",\"subject\":\"\",\"value\":0,"
                            "\"aux\":0,\"flags\":[\"by-hand\",\"fault\"],\"text\":\"\"}"));
    QCOMPARE(QJsonDocument::fromJson(lines[0]).object()[QStringLiteral("subject")].toString(),
             QStringLiteral("orders, \"big\""));
    QCOMPARE(QJsonDocument::fromJson(lines[3]).object()[QStringLiteral("text")].toString(),
             QStringLiteral("gone\\x0a持有者"));
    QCOMPARE(QJsonDocument::fromJson(lines[2]).object()[QStringLiteral("text")].toString(), QStringLiteral("A · 1"));
}

void TestTraceExport::everyLineOfALongTraceParses() {
    const auto trace = syntheticTrace(20'000, 12, 3);
    QBuffer csv, jsonl;
    QVERIFY(csv.open(QIODevice::WriteOnly) && jsonl.open(QIODevice::WriteOnly));
    QVERIFY(exportCsv(*trace, csv).has_value() && exportJsonl(*trace, jsonl).has_value());
    const QByteArrayList rows = csv.data().split('\n');
    QCOMPARE(rows.size(), 20'002); // a header, and nothing after the last line
    for (qsizetype i = 0; i + 1 < rows.size(); ++i)
        QCOMPARE(rows[i].count(','), 7);
    const QByteArrayList lines = jsonl.data().split('\n');
    QCOMPARE(lines.size(), 20'001);
    for (qsizetype i = 0; i + 1 < lines.size(); ++i) {
        const QJsonObject o = QJsonDocument::fromJson(lines[i]).object();
        QCOMPARE(o.size(), 8);
        QCOMPARE(o[QStringLiteral("time_ns")].toInteger(), trace->timeAt(std::size_t(i)));
    }
}

void TestTraceExport::sayWhatTheDeviceSays() {
    Trace trace;
    QBuffer out;
    QVERIFY(out.open(QIODevice::ReadOnly));
    QTest::ignoreMessage(QtWarningMsg, "QIODevice::write (QBuffer): ReadOnly device");
    const auto result = exportCsv(sample(trace), out);
    QVERIFY(!result);
    QVERIFY(result.error().startsWith(QStringLiteral("The export could not be written")));
}

void TestTraceExport::canBeStopped() {
    const auto trace = syntheticTrace(50'000, 3, 3);
    QBuffer out;
    QVERIFY(out.open(QIODevice::WriteOnly));
    std::stop_source source;
    source.request_stop();
    QVERIFY(!exportJsonl(*trace, out, source.get_token()));
    QCOMPARE(out.size(), 0);
}

QTEST_APPLESS_MAIN(TestTraceExport)
#include "tst_trace_export.moc"
