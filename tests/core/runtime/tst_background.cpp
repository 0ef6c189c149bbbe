// SPDX-License-Identifier: Apache-2.0
#include "runtime/background.h"

#include <QTest>
#include <QThread>
#include <atomic>

using namespace lockscope;

class TestBackground : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void workIsDoneElsewhereAndItsConsequenceHere() {
        Background background("test");
        QThread* const here = QThread::currentThread();
        QThread* there = nullptr;
        QStringList done;
        for (int i = 0; i < 3; ++i)
            background.run([i] { return std::pair(QThread::currentThread(), i); },
                           [&](const std::pair<QThread*, int>& result) {
                               there = result.first;
                               QCOMPARE(QThread::currentThread(), here);
                               done += QString::number(result.second);
                           });
        QTRY_COMPARE(done, (QStringList{QStringLiteral("0"), QStringLiteral("1"), QStringLiteral("2")}));
        QVERIFY(there && there != here);
    }

    void theEndWaitsForTheWorkAndDropsItsConsequence() {
        std::atomic<int> worked = 0;
        int told = 0;
        {
            Background background("test");
            for (int i = 0; i < 4; ++i)
                background.run([&] { ++worked; }, [&] { ++told; });
        }
        QCOMPARE(worked.load(), 4);
        QCoreApplication::processEvents(); // whatever still was on its way would come now
        QCOMPARE(told, 0);
    }
};

QTEST_GUILESS_MAIN(TestBackground)
#include "tst_background.moc"
