// SPDX-License-Identifier: GPL-3.0-or-later
// Names of recipes and servers are not broken at their hyphens.
#include "lessons/whole_names.h"

#include <QTest>
#include <QTextLayout>

using namespace lockscope::views;

class TestWholeNames : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void onlyNamesChange() {
        const QString text = QStringLiteral("One by one, redis-set-getdel at redis-1；用 sql-for-update，well-known.");
        const QString shown = withWholeNames(text);
        QCOMPARE(shown.size(), text.size());
        QCOMPARE(QString(shown).replace(QChar(0x2011), u'-'), text);
        QCOMPARE(shown.count(QChar(0x2011)), 5);
        QVERIFY(shown.contains(QStringLiteral("well-known")));
        QVERIFY(!shown.contains(QStringLiteral("redis-1")));
    }

    /// However narrow the column is.
    void noLineEndsWithinAName() {
        const QString shown = withWholeNames(QStringLiteral("The recipe (way of locking) is redis-set, and not that."));
        const qsizetype name = shown.indexOf(QStringLiteral("redis"));
        for (int width = 90; width < 500; width += 5) {
            QTextLayout laid(shown);
            laid.beginLayout();
            for (QTextLine line = laid.createLine(); line.isValid(); line = laid.createLine()) {
                line.setLineWidth(width);
                const int end = line.textStart() + line.textLength();
                QVERIFY2(end <= name || end >= name + 9, qPrintable(QString::number(width)));
            }
            laid.endLayout();
        }
    }
};

QTEST_MAIN(TestWholeNames)
#include "tst_whole_names.moc"
