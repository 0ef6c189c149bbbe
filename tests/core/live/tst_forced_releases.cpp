// SPDX-License-Identifier: Apache-2.0
#include "live/forced_releases.h"
#include "live/release_log.h"
#include "own_data.h"

#include <QTest>

using namespace lockscope;
using namespace lockscope::live;

class TestForcedReleases : public QObject {
    Q_OBJECT
    const tests::OwnData m_data; ///< before the first look for a path
private Q_SLOTS:
    /// A lock is found in the file again by any name.
    void aReleaseIsFoundByTheLocksName_data() {
        QTest::addColumn<QByteArray>("name");
        QTest::newRow("plain") << QByteArray("orders");
        QTest::newRow("line break") << QByteArray("orders\n1");
        QTest::newRow("backslash") << QByteArray("App\\Jobs\\Mail");
        QTest::newRow("control character") << QByteArray("orders\x01\x7f");
        QTest::newRow("no UTF-8") << QByteArray("orders\xff");
        QTest::newRow("another script") << QByteArray("订单锁");
    }
    void aReleaseIsFoundByTheLocksName() {
        QFETCH(QByteArray, name);
        const ConnectionUrl url = parseConnectionUrl(QStringLiteral("redis://127.0.0.1:6379")).value();
        ReleaseEntry entry;
        entry.at = QDateTime::currentDateTimeUtc();
        entry.server = url.display();
        entry.lock.name = name;
        entry.result = kFreedResult;
        QVERIFY(note(entry));
        ForcedReleases here(url);
        QVERIFY(here.has(name));
        QVERIFY(!here.has(name + '2'));
    }
};

QTEST_GUILESS_MAIN(TestForcedReleases)
#include "tst_forced_releases.moc"
