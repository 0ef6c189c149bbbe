// SPDX-License-Identifier: Apache-2.0
#include "inspect/lock_row.h"
#include "inspect/shared_rows.h"
#include "inspect/text.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QTest>

using namespace lockscope::inspect;

class TestLockRow : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void printsTheContractsExample() {
        LockRow row;
        row.name = "orders";
        row.format = "redisson";
        row.state = LockRow::State::Held;
        row.ttlMs = 29990;
        row.holders = {{"uuid", "1", 2, {}, "exclusive"}};
        row.waiters = std::vector<Party>{{"uuid", "7", {}, 0, "exclusive"}};
        row.waiterCount = 1;
        row.raw = {{"orders", "hash", 29990, QJsonObject{{QStringLiteral("uuid:1"), QStringLiteral("2")}}}};
        const QByteArray expected = R"({"name": "orders", "format": "redisson", "backend": "redis", "mode": "exclusive",
            "state": "held", "ttl_ms": 29990, "expires": "at", "certainty": "certain", "token": null,
            "holders": [{"client": "uuid", "thread": "1", "holds": 2, "mode": "exclusive"}],
            "waiters": [{"client": "uuid", "thread": "7", "position": 0, "mode": "exclusive"}], "waiter_count": 1,
            "raw": [{"key": "orders", "type": "hash", "ttl_ms": 29990, "value": {"uuid:1": "2"}}]})";
        QCOMPARE(toJson(row), QJsonDocument::fromJson(expected).object());
    }
    void whatTheFormatDoesNotSayIsNull() {
        LockRow row;
        row.state = LockRow::State::Held;
        row.holders = {{"token", {}, {}, {}, "exclusive"}};
        row.raw = {{"k", "string", {}, QStringLiteral("token")}};
        const QJsonObject json = toJson(row);
        for (const char* key : {"ttl_ms", "token", "waiters", "waiter_count"})
            QVERIFY2(json.contains(QLatin1String(key)) && json[QLatin1String(key)].isNull(), key);
        const QJsonObject holder = json[QLatin1String("holders")][0].toObject();
        QVERIFY(holder[QLatin1String("thread")].isNull());
        QVERIFY(holder[QLatin1String("holds")].isNull());
        QVERIFY(json[QLatin1String("raw")][0].toObject()[QLatin1String("ttl_ms")].isNull());
    }
    void permitsAreCounted() {
        LockRow row;
        row.state = LockRow::State::Held;
        row.mode = "permit";
        QVERIFY(!toJson(row).contains(QLatin1String("permits")) &&
                !toJson(row).contains(QLatin1String("permits_free")));
        row.permitsFree = 1;
        row.permitsInAll = 3;
        row.holders = {{"a", {}, {}, {}, "permit"}, {"b", {}, {}, {}, "permit"}};
        row.holders.front().neverExpires = true;
        const QJsonObject json = toJson(row);
        QCOMPARE(json[QLatin1String("permits_free")].toInt(), 1);
        QCOMPARE(json[QLatin1String("permits")].toInt(), 3);
        QVERIFY(json[QLatin1String("holders")][0][QLatin1String("never_expires")].toBool());
        QVERIFY(!json[QLatin1String("holders")][1].toObject().contains(QLatin1String("never_expires")));
    }
    void subscribersAreNotCalledWaiters() {
        LockRow row;
        row.waiterCount = 1;
        QCOMPARE(toJson(row)[QLatin1String("waiter_count_of")].toString(), QStringLiteral("subscribers"));
        row.waiters.emplace();
        QVERIFY(!toJson(row).contains(QLatin1String("waiter_count_of")));
    }
    void aReadersOwnLeaseIsTold() {
        LockRow row;
        row.state = LockRow::State::Held;
        row.holders = {{"token", {}, {}, {}, "shared"}};
        QVERIFY(!toJson(row)[QLatin1String("holders")][0].toObject().contains(QLatin1String("ttl_ms")));
        row.holders.front().ttlMs = 1200;
        QCOMPARE(toJson(row)[QLatin1String("holders")][0][QLatin1String("ttl_ms")].toInt(), 1200);
    }
    void aMissingTtlHasAReason() {
        const auto told = [](const LockRow& row) { return toJson(row)[QLatin1String("expires")].toString(); };
        LockRow row;
        row.state = LockRow::State::Held;
        QCOMPARE(told(row), QStringLiteral("unknown")); // the format does not say
        row.neverExpires = true;
        QCOMPARE(told(row), QStringLiteral("never"));
        row.neverExpires = false;
        row.ttlMs = 5;
        QCOMPARE(told(row), QStringLiteral("at"));
    }
    void deadWaitersAreMarked() {
        LockRow row;
        row.waiters = std::vector<Party>{{"a", "1", {}, 0, "exclusive", true}, {"b", "1", {}, 1, "exclusive"}};
        row.waiterCount = 1;
        row.deadWaiters = 1;
        const QJsonObject json = toJson(row);
        QCOMPARE(json[QLatin1String("dead_waiters")].toInt(), 1);
        QCOMPARE(json[QLatin1String("waiters")][0][QLatin1String("dead")].toBool(), true);
        QVERIFY(!json[QLatin1String("waiters")][1].toObject().contains(QLatin1String("dead")));
    }
    void endsAreComparedByWhatWasMeasured() {
        QCOMPARE(endMoved({1000, 1080}, {1050, 1130}), EndMoved::Same); // a late look
        QCOMPARE(endMoved({1000, 1080}, {1081, 1090}), EndMoved::Later);
        QCOMPARE(endMoved({1000, 1080}, {900, 999}), EndMoved::Earlier);
    }
    void heldByNobodyWeKnowIsNotHeldByNobody() {
        LockRow row;
        row.state = LockRow::State::Held;
        QVERIFY(toJson(row)[QLatin1String("holders")].isNull());
        row.holdersGone = true; // their names were there, and all of them are dead
        QVERIFY(toJson(row)[QLatin1String("holders")].isArray());
        row.holdersGone = false;
        row.state = LockRow::State::Free;
        QVERIFY(toJson(row)[QLatin1String("holders")].isArray());
    }
    void whatWasNotReadIsCounted() {
        LockRow row;
        row.state = LockRow::State::Held;
        row.holders = {{"uuid", "1", 1, {}, "shared"}};
        row.raw = {{"k", "hash", {}, QJsonObject()}};
        QVERIFY(!toJson(row).contains(QLatin1String("more_holders")));
        QVERIFY(!toJson(row)[QLatin1String("raw")][0].toObject().contains(QLatin1String("more")));
        row.moreHolders = 44;
        row.raw[0].more = 45;
        QCOMPARE(toJson(row)[QLatin1String("more_holders")].toInt(), 44);
        QCOMPARE(toJson(row)[QLatin1String("raw")][0][QLatin1String("more")].toInt(), 45);
    }
    void statesHaveTheContractsNames_data() {
        QTest::addColumn<int>("state");
        QTest::addColumn<QString>("name");
        QTest::newRow("free") << int(LockRow::State::Free) << QStringLiteral("free");
        QTest::newRow("queued") << int(LockRow::State::Queued) << QStringLiteral("queued");
        QTest::newRow("held") << int(LockRow::State::Held) << QStringLiteral("held");
    }
    void statesHaveTheContractsNames() {
        QFETCH(int, state);
        QFETCH(QString, name);
        LockRow row;
        row.state = LockRow::State(state);
        QCOMPARE(toJson(row)[QLatin1String("state")].toString(), name);
    }
    void bytesArePrintedReadably_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QString>("text");
        QTest::newRow("ascii") << QByteArray("orders:42") << QStringLiteral("orders:42");
        QTest::newRow("utf-8") << QByteArray("订单") << QString::fromUtf8("订单");
        QTest::newRow("control") << QByteArray("a\nb") << QStringLiteral("a\\x0ab");
        QTest::newRow("nul") << QByteArray("a\0b", 3) << QStringLiteral("a\\x00b");
        QTest::newRow("binary") << QByteArray("\xff\x01z") << QStringLiteral("\\xff\\x01z");
        QTest::newRow("cut utf-8") << QByteArray("\xe8\xae") << QStringLiteral("\\xe8\\xae");
    }
    void bytesArePrintedReadably() {
        QFETCH(QByteArray, bytes);
        QFETCH(QString, text);
        QCOMPARE(readable(bytes), text);
    }

    /// JSON has escapes of its own: a name that were escaped before would never equal the server's.
    void namesInJsonAreTheServers() {
        LockRow row;
        row.name = "App\\Jobs\nx";
        row.holders.emplace_back().client = "host\\1";
        row.state = LockRow::State::Held;
        row.raw = {{"a\tb", "string", {}, QJsonValue(u"x"_qs), 0}};
        const QJsonObject json = QJsonDocument::fromJson(QJsonDocument(toJson(row)).toJson()).object();
        QCOMPARE(json[u"name"].toString(), QStringLiteral("App\\Jobs\nx"));
        QCOMPARE(json[u"holders"][0][u"client"].toString(), QStringLiteral("host\\1"));
        QCOMPARE(json[u"raw"][0][u"key"].toString(), QStringLiteral("a\tb"));
        row.name = "\xff\x01z"; // no text in any encoding
        QCOMPARE(toJson(row)[u"name"].toString(), QStringLiteral("\\xff\\x01z"));
    }

    /// Contents that stay as they were are kept once, whoever keeps rows.
    void unchangedRowsShareTheirMemory() {
        const auto row = [](const char* name, const char* owner) {
            LockRow one;
            one.name = QByteArray(name);
            one.holders.emplace_back();
            one.holders.front().client = QByteArray(owner);
            one.raw = {{QByteArray(name), "hash", 1000, QJsonObject{{QString::fromLatin1(owner), 1}}, 0}};
            return one;
        };
        const std::vector<LockRow> before{row("a", "A"), row("b", "B"), row("d", "D")};
        std::vector<LockRow> now{row("a", "A"), row("b", "X"), row("c", "C"), row("d", "D")};
        const std::vector<LockRow> same = now;
        shareUnchanged(now, before);
        QCOMPARE(now, same);
        QCOMPARE(now[0].name.constData(), before[0].name.constData());
        QCOMPARE(now[0].holders[0].client.constData(), before[0].holders[0].client.constData());
        QCOMPARE(now[3].raw[0].key.constData(), before[2].raw[0].key.constData());
        QVERIFY(now[1].holders[0].client.constData() != before[1].holders[0].client.constData());
    }
};

QTEST_GUILESS_MAIN(TestLockRow)
#include "tst_lock_row.moc"
