// SPDX-License-Identifier: Apache-2.0
#include "inspect/same_client.h"

#include <QTest>

using namespace lockscope;
using namespace lockscope::inspect;

class SameClientTest : public QObject {
    Q_OBJECT

    static Party party(const QByteArray& client, const QByteArray& about = {}) {
        Party party;
        party.client = client;
        party.about = about;
        return party;
    }
    static std::vector<ClientRule> rules(std::initializer_list<const char*> texts) {
        std::vector<ClientRule> all;
        for (const char* text : texts)
            all.push_back(parseClientRule(QString::fromLatin1(text)).value());
        return all;
    }

private Q_SLOTS:
    void numbersOfSessionsAreOfOneServer() {
        for (const char* name : {"", "8812", "pid 8812", "batch-02 \u00b7 8812", "0x1000a3f0001", "session 0x17"})
            QVERIFY2(!sameClient(party(name), usualClientRules()).everywhere, name);
        for (const char* name : {"0f6ef1c2-2f2b-4f8e-9a53-1c7b7f0a1b2c", "batch-02", "A"})
            QVERIFY2(sameClient(party(name), usualClientRules()).everywhere, name);
        QVERIFY(!sameClient(party("batch-02"), {}).everywhere); // no rule says so
    }

    void anAddressJoinsWhatComesFromOneMachine() {
        const auto by = rules({"address", "name"});
        const SameClient sql = sameClient(party("pid 7", "psql (ann) 10.0.4.7: SELECT 1"), by);
        const SameClient redis = sameClient(party("worker@10.0.4.7:51844"), by);
        QVERIFY(sql.everywhere && redis.everywhere);
        QCOMPARE(sql.client, QByteArray("10.0.4.7"));
        QCOMPARE(redis.client, sql.client);
        QCOMPARE(sql.rule, QStringLiteral("address"));
        QCOMPARE(sameClient(party("pid 7", "psql (ann) fd00::7"), by).client, QByteArray("fd00::7"));
        // Versions, times and UUIDs are no addresses: the next rule is asked.
        for (const char* name : {"v1.2.3", "at-12:30:15Z", "0f6ef1c2-2f2b-4f8e-9a53-1c7b7f0a1b2c"})
            QCOMPARE(sameClient(party(name), by).client, QByteArray(name));
    }

    void aPatternTakesItsGroup() {
        const auto by = rules({"^(batch-\\d+)"});
        QCOMPARE(sameClient(party("batch-02:8:uuid"), by).client, QByteArray("batch-02"));
        const SameClient sql = sameClient(party("pid 7", "batch-02 (ann) 10.0.4.7"), by);
        QCOMPARE(sql.client, QByteArray("batch-02"));
        QVERIFY(sql.everywhere && sql.rule.startsWith(u'^'));
        QVERIFY(!sameClient(party("order-svc"), by).everywhere);
    }

    void aWrongRuleSaysWhatWouldBeRight() {
        for (const char* text : {"", "adress", "a(b", "(a)(b)"}) {
            const auto rule = parseClientRule(QString::fromLatin1(text));
            QVERIFY2(!rule, text);
            QVERIFY2(rule.error().contains(QLatin1String("address")), qPrintable(rule.error()));
        }
    }
};

QTEST_GUILESS_MAIN(SameClientTest)
#include "tst_same_client.moc"
