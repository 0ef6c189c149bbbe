// SPDX-License-Identifier: Apache-2.0
#include "synthetic/synthetic.h"
#include "trace/export.h"

#include <QBuffer>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

using namespace lockscope;
using namespace lockscope::trace;

class TestTraceExport : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void csvIsExact();
    void noNameIsAFormula();
    void anEmptyNameIsNotNobody();
    void jsonlIsExact();
    void everyLineOfALongTraceParses();
    void sayWhatTheDeviceSays();
    void canBeStopped();
    void perfettoHasASliceForEachWaitAndHold();
    void jepsenHasAnEndForEachInvocation();
    void jepsenNeedsAnOperationOrAHold();
    void jepsenOfWhatWasWatched();
    void jepsenOfWhatWasWatchedIsInOrder();

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

/// Names of locks come from anybody who can write to a watched server.
void TestTraceExport::noNameIsAFormula() {
    Trace trace;
    const EntityId a = trace.intern(EntityKind::Thread, "", trace.intern(EntityKind::Client, "A"));
    for (const char* name : {"=cmd|' /C calc'!A0", "+1", "-1", "@SUM(1,1)", "\t=1", "\r=1", "a=1"})
        trace.append({1, -1, a, trace.intern(EntityKind::Lock, name), 0, EventKind::Requested, 0});
    trace.append({1, 0, a, 0, trace.text("=1+1"), EventKind::Lost, 0});
    QBuffer out;
    QVERIFY(out.open(QIODevice::WriteOnly));
    QVERIFY(exportCsv(trace, out).has_value());
    QByteArrayList lines = out.data().trimmed().split('\n');
    lines.removeFirst();
    const QByteArrayList wanted{"1,requested,A,'=cmd|' /C calc'!A0,-1,0,,", // the number is one, and no formula
                                "1,requested,A,'+1,-1,0,,",
                                "1,requested,A,'-1,-1,0,,",
                                "1,requested,A,\"'@SUM(1,1)\",-1,0,,",
                                "1,requested,A,\\x09=1,-1,0,,",
                                "1,requested,A,\\x0d=1,-1,0,,",
                                "1,requested,A,a=1,-1,0,,",
                                "1,lost,A,,0,0,,'=1+1"};
    QCOMPARE(lines, wanted);
}

void TestTraceExport::anEmptyNameIsNotNobody() {
    Trace trace;
    const EntityId node = trace.intern(EntityKind::Node, "redis-1"), lock = trace.intern(EntityKind::Lock, "", node);
    const EntityId a = trace.intern(EntityKind::Thread, "1", trace.intern(EntityKind::Client, "A"));
    trace.append({1000, -1, a, lock, 1, EventKind::RecordHeld});
    trace.append({2000, 0, kNoEntity, lock, a, EventKind::RecordFreed, std::uint8_t(FreedBy::Release)});
    QBuffer csv, jsonl, perfetto;
    QVERIFY(csv.open(QIODevice::WriteOnly) && jsonl.open(QIODevice::WriteOnly) && perfetto.open(QIODevice::WriteOnly));
    QVERIFY(exportCsv(trace, csv) && exportJsonl(trace, jsonl) && exportPerfetto(trace, perfetto));
    QVERIFY2(csv.data().contains("\n2000,record-freed,,(empty),0,0,release,A · 1\n"), csv.data());
    QVERIFY2(jsonl.data().contains("\"actor\":\"\",\"subject\":\"(empty)\""), jsonl.data());
    QVERIFY2(perfetto.data().contains("\"args\":{\"name\":\"(empty)\"}"), perfetto.data());
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

namespace {

/// A waits 2 µs, holds from 3 to 9 µs and writes; B waits from 4 µs on and dies at 8 µs; the server is paused
/// meanwhile.
void tell(Trace& t) {
    using K = EventKind;
    const EntityId a = t.intern(EntityKind::Client, "A"), one = t.intern(EntityKind::Thread, "1", a);
    const EntityId b = t.intern(EntityKind::Client, "B"), two = t.intern(EntityKind::Thread, "1", b);
    const EntityId node = t.intern(EntityKind::Node, "redis-1"), lock = t.intern(EntityKind::Lock, "or\"ders", node);
    const EntityId stock = t.intern(EntityKind::Resource, "stock", lock);
    t.append({0, 0, node, 0, 0, K::NodeStarted});
    for (const EntityId client : {a, b})
        t.append({0, 0, client, 0, 0, K::ClientStarted});
    t.append({1000, -1, one, lock, 0, K::Requested});
    t.append({2500, 90'000, one, lock, 1, K::RecordHeld});
    t.append({3000, 33, one, lock, 1, K::Granted});
    t.append({4000, -1, two, lock, 0, K::Requested});
    t.append({4000, 1, 0, lock, 0, K::RecordWaiters});
    t.append({5000, 33, one, stock, 0, K::WriteAccepted});
    t.append({6000, 0, node, 0, 0, K::NodePaused, kFault});
    t.append({7000, 0, node, 0, 0, K::NodeResumed, kFault});
    t.append({8000, 0, b, 0, 0, K::ClientKilled, kFault});
    t.append({9000, 0, one, lock, 1, K::ReleaseSent});
    t.append({9500, 0, one, lock, one, K::RecordFreed});
    t.append({9900, 0, one, lock, 0, K::Released});
    t.reach(12us);
}

} // namespace

void TestTraceExport::perfettoHasASliceForEachWaitAndHold() {
    Trace trace;
    tell(trace);
    QBuffer out;
    QVERIFY(out.open(QIODevice::WriteOnly));
    QVERIFY(exportPerfetto(trace, out).has_value());
    QJsonParseError error;
    const QJsonDocument document = QJsonDocument::fromJson(out.data(), &error);
    QVERIFY2(error.error == QJsonParseError::NoError, out.data());
    std::map<std::pair<int, int>, QString> tracks;
    QStringList slices, instants;
    for (const QJsonValue& event : document[u"traceEvents"].toArray()) {
        const std::pair key(event[u"pid"].toInt(), event[u"tid"].toInt());
        if (event[u"name"].toString() == u"thread_name") tracks[key] = event[u"args"][u"name"].toString();
        if (event[u"ph"].toString() == u"X")
            slices << QStringLiteral("%1: %2 %3+%4")
                          .arg(tracks.at(key), event[u"name"].toString())
                          .arg(event[u"ts"].toDouble())
                          .arg(event[u"dur"].toDouble());
        if (event[u"ph"].toString() == u"i") instants << tracks.at(key) + u": "_qs + event[u"name"].toString();
    }
    slices.sort();
    instants.sort();
    const QStringList wanted{u"A · 1 · or\"ders: holds #33 3+6"_qs, u"A · 1 · or\"ders: waits 1+2"_qs,
                             u"B · 1 · or\"ders: waits 4+4"_qs,     u"B: dead 8+4"_qs,
                             u"or\"ders: A · 1 2.5+7"_qs,           u"redis-1: paused 6+1"_qs};
    QCOMPARE(slices, wanted);
    const QStringList moments{u"faults: client-killed B"_qs, u"faults: node-paused redis-1"_qs,
                              u"faults: node-resumed redis-1"_qs, u"stock: A · 1 writes #33"_qs};
    QCOMPARE(instants, moments);
}

void TestTraceExport::jepsenHasAnEndForEachInvocation() {
    Trace trace;
    tell(trace);
    QBuffer out;
    QVERIFY(out.open(QIODevice::WriteOnly));
    QVERIFY(exportJepsen(trace, out).has_value());
    const QByteArrayList wanted{
        "{:type :invoke, :f :acquire, :value [\"or\\\"ders\"], :process 0, :time 1000, :index 0}",
        "{:type :ok, :f :acquire, :value [\"or\\\"ders\" 33], :process 0, :time 3000, :index 1}",
        "{:type :invoke, :f :acquire, :value [\"or\\\"ders\"], :process 1, :time 4000, :index 2}",
        "{:type :invoke, :f :write, :value [\"stock\" 33], :process 0, :time 5000, :index 3}",
        "{:type :ok, :f :write, :value [\"stock\" 33], :process 0, :time 5000, :index 4}",
        "{:type :info, :f :node-paused, :value \"redis-1\", :process :nemesis, :time 6000, :index 5}",
        "{:type :info, :f :node-resumed, :value \"redis-1\", :process :nemesis, :time 7000, :index 6}",
        "{:type :info, :f :acquire, :value [\"or\\\"ders\"], :process 1, :time 8000, :index 7}",
        "{:type :info, :f :client-killed, :value \"B\", :process :nemesis, :time 8000, :index 8}",
        "{:type :invoke, :f :release, :value [\"or\\\"ders\"], :process 0, :time 9000, :index 9}",
        "{:type :ok, :f :release, :value [\"or\\\"ders\"], :process 0, :time 9900, :index 10}"};
    QCOMPARE(out.data().trimmed().split('\n'), wanted);
}

void TestTraceExport::jepsenNeedsAnOperationOrAHold() {
    Trace trace;
    const EntityId node = trace.intern(EntityKind::Node, "redis-1");
    const EntityId lock = trace.intern(EntityKind::Lock, "orders", node);
    const EntityId client = trace.intern(EntityKind::Client, "A"),
                   owner = trace.intern(EntityKind::Thread, "1", client);
    trace.append({1000, 90'000, owner, lock, 1, EventKind::RecordHeld, std::uint8_t(HoldMode::Shared)});
    trace.append({2000, 2, kNoEntity, lock, 0, EventKind::RecordWaiters});
    QBuffer out;
    QVERIFY(out.open(QIODevice::WriteOnly));
    const auto done = exportJepsen(trace, out);
    QVERIFY(!done.has_value());
    QVERIFY2(done.error().contains(u"csv"_qs), qPrintable(done.error())); // what to do instead
    QVERIFY(out.data().isEmpty());
    trace.append({3000, -1, owner, lock, 0, EventKind::Requested});
    trace.append({4000, 0, client, 0, 0, EventKind::ClientKilled, kFault});
    QVERIFY(exportJepsen(trace, out).has_value()); // though nobody is there any more
}

/// A lock that was looked at last long ago changes: its operations began before others that were told earlier.
void TestTraceExport::jepsenOfWhatWasWatchedIsInOrder() {
    Trace trace;
    const EntityId node = trace.intern(EntityKind::Node, "redis-1");
    const EntityId first = trace.intern(EntityKind::Lock, "orders", node),
                   second = trace.intern(EntityKind::Lock, "stock", node);
    const EntityId a = trace.intern(EntityKind::Thread, "1", trace.intern(EntityKind::Client, "A"));
    trace.append({1000, -1, a, first, 1, EventKind::RecordHeld});
    trace.append({2000, -1, a, second, 1, EventKind::RecordHeld});
    trace.append({3000, 0, kNoEntity, second, a, EventKind::RecordFreed, std::uint8_t(FreedBy::Release)});
    trace.append({4000, 0, kNoEntity, first, a, EventKind::RecordFreed, std::uint8_t(FreedBy::Release)});
    QBuffer out;
    QVERIFY(out.open(QIODevice::WriteOnly));
    QVERIFY(exportJepsen(trace, out).has_value());
    const QByteArrayList lines = out.data().trimmed().split('\n');
    constexpr std::array kTimes{0, 0, 1000, 1000, 2000, 2000, 3000, 4000};
    QCOMPARE(std::size_t(lines.size()), kTimes.size());
    for (std::size_t i = 0; i < kTimes.size(); ++i)
        QVERIFY2(lines[qsizetype(i)].endsWith(", :time " + QByteArray::number(kTimes[i]) + ", :index " +
                                              QByteArray::number(qulonglong(i)) + '}'),
                 lines[qsizetype(i)]);
}

/// Each change of a watched lock lies between the last look before it and the one that saw it.
void TestTraceExport::jepsenOfWhatWasWatched() {
    Trace trace;
    const EntityId node = trace.intern(EntityKind::Node, "redis-1");
    const EntityId lock = trace.intern(EntityKind::Lock, "orders", node);
    const auto thread = [&trace](const char* client) {
        return trace.intern(EntityKind::Thread, "1", trace.intern(EntityKind::Client, client));
    };
    const EntityId a = thread("A"), b = thread("B");
    const auto held = [&](std::int64_t at, EntityId who, EventKind kind = EventKind::RecordHeld) {
        trace.append({at, -1, who, lock, 1, kind});
    };
    const auto freed = [&](std::int64_t at, EntityId who, FreedBy why) {
        trace.append({at, 0, kNoEntity, lock, who, EventKind::RecordFreed, std::uint8_t(why)});
    };
    held(1000, a);
    held(2000, a, EventKind::RecordRenewed);
    freed(3000, a, FreedBy::Release);
    held(5000, b);
    freed(6000, b, FreedBy::Expiry);
    held(7000, b);
    held(8000, a); // written over
    QBuffer out;
    QVERIFY(out.open(QIODevice::WriteOnly));
    QVERIFY(exportJepsen(trace, out).has_value());
    QStringList told;
    for (const QByteArray& line : out.data().trimmed().split('\n')) {
        const auto part = [&line](const char* key) {
            const qsizetype from = line.indexOf(key) + qsizetype(qstrlen(key));
            const qsizetype end = line.indexOf(',', from);
            return QString::fromLatin1(line.sliced(from, end - from));
        };
        told << QStringList{part(":type :"), part(":f :"), part(":process "), part(":time ")}.join(QLatin1Char(' '));
    }
    const QStringList wanted{u"invoke acquire 0 0"_qs,    u"ok acquire 0 1000"_qs,     u"invoke release 0 2000"_qs,
                             u"ok release 0 3000"_qs,     u"invoke acquire 1 3000"_qs, u"ok acquire 1 5000"_qs,
                             u"invoke release 1 5000"_qs, u"info release 1 6000"_qs, // nobody's release
                             u"invoke acquire 2 6000"_qs, u"ok acquire 2 7000"_qs,     u"invoke release 2 7000"_qs,
                             u"invoke acquire 0 7000"_qs, // the change from one to the other took place in between
                             u"info release 2 8000"_qs,   u"ok acquire 0 8000"_qs};
    QCOMPARE(told, wanted);
}

QTEST_APPLESS_MAIN(TestTraceExport)
#include "tst_trace_export.moc"
