// SPDX-License-Identifier: Apache-2.0
#include "inspect/kept_by_words.h"

#include <QTest>

using namespace lockscope;
using namespace lockscope::inspect;

/// The things that keep holds without a lease, by their formats, and the words for them.
class TestKeptBy : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aFormatTellsWhatKeepsAHoldAndWhatEndsWithIt_data() {
        QTest::addColumn<QByteArray>("format");
        QTest::addColumn<int>("keptBy");
        QTest::addColumn<int>("ends");
        const auto row = [](const char* format, KeptBy by, EndsWith ends) {
            QTest::newRow(format) << QByteArray(format) << int(by) << int(ends);
        };
        row("curator-mutex", KeptBy::Session, EndsWith::Nothing); // its node can be removed alone
        row("mixed (curator, kazoo)", KeptBy::Session, EndsWith::Nothing);
        row("get-lock", KeptBy::Session, EndsWith::Session);
        row("mariadb-lock-tables", KeptBy::Session, EndsWith::Session);
        row("pg-advisory", KeptBy::Either, EndsWith::Session);
        row("pg-row", KeptBy::Transaction, EndsWith::Transaction);
        row("qrtz_locks", KeptBy::Transaction, EndsWith::Transaction);
        row("redisson", KeptBy::NotTold, EndsWith::Nothing);
        row("liquibase", KeptBy::NotTold, EndsWith::Nothing);
    }
    void aFormatTellsWhatKeepsAHoldAndWhatEndsWithIt() {
        QFETCH(QByteArray, format);
        QTEST(int(keptBy(format)), "keptBy");
        QTEST(int(endsWith(format)), "ends");
    }

    void eachPlaceHasItsWords_data() {
        QTest::addColumn<int>("use");
        for (int use = 0; use <= int(KeptByUse::End); ++use)
            QTest::addRow("%d", use) << use;
    }
    void eachPlaceHasItsWords() {
        QFETCH(int, use);
        const auto words = [&](KeptBy by) { return keptByText(by, KeptByUse(use)); };
        QVERIFY(words(KeptBy::NotTold).isEmpty()); // the caller says that itself
        QVERIFY(!words(KeptBy::Transaction).isEmpty());
        // In the column of renewals nobody renews what a session keeps: a dash says so.
        const bool dash = KeptByUse(use) == KeptByUse::Renewal;
        QCOMPARE(words(KeptBy::Session).isEmpty(), dash);
        QCOMPARE(words(KeptBy::Either).isEmpty(), dash);
        if (dash) return;
        QVERIFY(words(KeptBy::Session) != words(KeptBy::Transaction));
        QVERIFY(words(KeptBy::Either) != words(KeptBy::Session));
    }
};

QTEST_GUILESS_MAIN(TestKeptBy)
#include "tst_kept_by.moc"
