// SPDX-License-Identifier: GPL-3.0-or-later
#include "locks/step_text.h"
#include "theme/fonts.h"

#include <QFontMetrics>
#include <QTest>

using namespace lockscope::views;

/// A recipe is there to be read: its steps are broken into lines, and nothing of them gets lost on the way.
class TestStepText : public QObject {
    Q_OBJECT
    const QString m_step = QStringLiteral("hold until sent + 5 s; watchdog: script: if value is mine, PEXPIRE 5000");

    void fits(const QStringList& lines, int first, int wide) {
        const QFontMetrics metrics(fixedFont());
        for (qsizetype i = 0; i < lines.size(); ++i)
            QVERIFY2(metrics.horizontalAdvance(lines[i]) <= (i == 0 ? first : wide), qPrintable(lines[i]));
    }

private Q_SLOTS:
    void aShortStepIsOneLine() {
        QCOMPARE(stepLines(QStringLiteral("DEL orders"), fixedFont(), 300, 340, 4),
                 QStringList{QStringLiteral("DEL orders")});
        QCOMPARE(stepLines(QString(), fixedFont(), 300, 340, 4).join(QString()), QString());
    }

    void aLongStepIsReadWhole() {
        const QStringList lines = stepLines(m_step, fixedFont(), 200, 260, 9);
        QVERIFY(lines.size() >= 3);
        QCOMPARE(lines.join(QLatin1Char(' ')), m_step);
        fits(lines, 200, 260);
    }

    void badgesTakeRoomFromTheFirstLineOnly() {
        const QStringList beside = stepLines(m_step, fixedFont(), 120, 260, 9);
        fits(beside, 120, 260);
        QVERIFY(beside[1].size() > beside[0].size());
    }

    void whatDoesNotFitIsCutWithASign() {
        const QStringList lines = stepLines(m_step, fixedFont(), 150, 150, 2);
        QCOMPARE(lines.size(), 2);
        QVERIFY2(lines.last().endsWith(QChar(0x2026)), qPrintable(lines.last()));
        fits(lines, 150, 150);
        // A word that is longer than the line is broken rather than left hanging out.
        fits(stepLines(QString(60, QLatin1Char('x')), fixedFont(), 150, 150, 9), 150, 150);
    }
};

QTEST_MAIN(TestStepText)
#include "tst_step_text.moc"
