// SPDX-License-Identifier: GPL-3.0-or-later
#include "theme/format.h"
#include "trace/reckoned_length.h"
#include "trace/time_text.h"
#include "trace/whole_spans.h"

#include <QTest>

using namespace lockscope;

class TestFormat : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void durationsHaveAsManyDigitsAsMatter_data() {
        QTest::addColumn<qint64>("ns");
        QTest::addColumn<QString>("text");
        const auto row = [](Nanos d, const char* text) {
            QTest::newRow(text) << qint64(d.count()) << QString::fromUtf8(text);
        };
        row(0s, "0 s");
        row(7ns, "7 ns");
        row(120us, "120 µs");
        row(1250us, "1.2 ms");
        row(812ms, "812 ms");
        row(999'999us, "999 ms");
        row(1s, "1.0 s");
        row(4250ms, "4.2 s");
        row(9'999ms, "9.9 s");
        row(29'100ms, "29.1 s");
        row(59'999ms, "59.9 s");
        row(60s, "1 m 00 s");
        row(192s, "3 m 12 s");
        row(8h + 12min, "8 h 12 m");
        row(76h, "3 d 4 h");
        row(-4250ms, "−4.2 s");
    }
    void durationsHaveAsManyDigitsAsMatter() {
        QFETCH(qint64, ns);
        QTEST(views::duration(Nanos(ns)), "text");
    }

    void whatSomebodyChoseIsWrittenAsPeopleWriteIt() {
        QCOMPARE(spanText(5s), QStringLiteral("5 s"));
        QCOMPARE(spanText(30s), QStringLiteral("30 s"));
        QCOMPARE(spanText(5s + 40us), QStringLiteral("5 s")); // a lease and its way to the server
        QCOMPARE(spanText(2500ms), QStringLiteral("2.5 s"));
        QCOMPARE(spanText(1ms), QStringLiteral("1 ms"));
        QCOMPARE(spanText(kNever), QStringLiteral("never"));
    }

    void aLineIsNotBrokenInsideOfASpan() {
        QCOMPARE(withWholeSpans(QStringLiteral("A lease of 3 s, for 1.2 s; 3 servers, 5 seconds.")),
                 QStringLiteral("A lease of 3\u00a0s, for 1.2\u00a0s; 3 servers, 5 seconds."));
        QCOMPARE(withWholeSpans(QStringLiteral("120 µs后，租约 10 ms")),
                 QStringLiteral("120\u00a0µs后，租约 10\u00a0ms"));
    }

    void noBoundIsNeverAndNotANumber() {
        QCOMPARE(views::duration(kNever), QStringLiteral("never"));
        QCOMPARE(instantText(kNever), QStringLiteral("never"));
    }

    void aTtlNeverShowsMoreThanIsLeft() {
        // For every shown time below a minute, the number read back is at most what is left.
        for (std::int64_t ms = 1; ms < 60'000; ms += 37) {
            const QString text = views::duration(Nanos(std::chrono::milliseconds(ms)));
            const double shown =
                text.section(QLatin1Char(' '), 0, 0).toDouble() * (text.endsWith(QLatin1String(" ms")) ? 1.0 : 1000.0);
            QVERIFY2(shown <= double(ms) + 1e-9 && double(ms) - shown < 100, qPrintable(text));
        }
    }

    void instantsReadAsTheTimeAxisDoes() {
        QCOMPARE(instantText(6812ms), QStringLiteral("6.812 s"));
        QCOMPARE(instantText(66'812ms), QStringLiteral("1:06.812"));
        QCOMPARE(instantText(1h + 2min + 3s), QStringLiteral("1:02:03.000"));
        QCOMPARE(instantText(7250ms, 1s), QStringLiteral("7.2 s"));
        QCOMPARE(intervalText(6s, 7200ms), QStringLiteral("6.0 – 7.2 s"));
        QCOMPARE(intervalText(6s, kNever), QStringLiteral("6.0 s – now"));
        QCOMPARE(intervalText(58s, 61s), QStringLiteral("58.0 s – 1:01.0"));
    }

    void anInstantNeverReadsAsTwo() {
        // At every precision, a shorter text is the beginning of a longer one: nothing is rounded up anywhere.
        for (const Nanos t : {5858999us, 7071ms + 999us, 12'609'990us, 59'999'999us}) {
            const QString exact = instantText(t, 1ms).chopped(2), moment = instantText(t).chopped(2),
                          rough = instantText(t, 2s).chopped(2);
            QVERIFY2(exact.startsWith(moment) && moment.startsWith(rough), qPrintable(exact + moment + rough));
            QVERIFY2(clockText(t).endsWith(moment.rightJustified(6, QLatin1Char('0'))), qPrintable(clockText(t)));
            QVERIFY(intervalText(t, t + 2s).startsWith(rough));
            QVERIFY(intervalText(t, t + 20ms).startsWith(moment));
        }
        QCOMPARE(intervalText(5858999us, 7071999us), QStringLiteral("5.8 – 7.0 s"));
        QCOMPARE(lengthText(5858999us, 7071999us), QStringLiteral("1.2 s"));
        QCOMPARE(lengthText(9344ms, 12'609ms), QStringLiteral("3.3 s")); // 9.3 – 12.6 s: as anybody reckons
        QCOMPARE(lengthText(6012300us, 6032700us), QStringLiteral("20 ms"));
        QCOMPARE(reckonedLength(9344ms, 12s), Nanos(2700ms)); // one rounding, whoever tells it
        QCOMPARE(durationText(reckonedLength(9344ms, 12s)), lengthText(9344ms, 12s));
        QCOMPARE(lengthText(6s, 6s), QStringLiteral("0 s"));
        QCOMPARE(intervalText(6012ms, 6032ms), QStringLiteral("6.012 – 6.032 s"));
        QCOMPARE(intervalText(6012ms, kNever, 6032ms), QStringLiteral("6.012 s – now"));
    }

    void theClockKeepsItsWidth() {
        QCOMPARE(clockText(6812ms), QStringLiteral("00:06.812"));
        QCOMPARE(clockText(Nanos(0)), QStringLiteral("00:00.000"));
        QCOMPARE(clockText(59min + 59'999ms), QStringLiteral("59:59.999"));
        QCOMPARE(clockText(1h), QStringLiteral("1:00:00.000"));
        QCOMPARE(clockText(-5s), QStringLiteral("00:00.000"));
    }

    void countsAreGrouped() {
        const QString thin(QChar(0x2009));
        QCOMPARE(views::count(0), QStringLiteral("0"));
        QCOMPARE(views::count(999), QStringLiteral("999"));
        QCOMPARE(views::count(1284), QStringLiteral("1") + thin + QStringLiteral("284"));
        QCOMPARE(views::count(10'000'000),
                 QStringLiteral("10") + thin + QStringLiteral("000") + thin + QStringLiteral("000"));
        QCOMPARE(views::count(-1284), QStringLiteral("−1") + thin + QStringLiteral("284"));
        QCOMPARE(views::countShort(38), QStringLiteral("38"));
        QCOMPARE(views::countShort(1'020'000), QStringLiteral("1.02 M"));
        QCOMPARE(views::bytes(2100), QStringLiteral("2.1 kB"));
        QCOMPARE(views::speedText(0.01), QStringLiteral("0.01×"));
        QCOMPARE(views::speedText(1), QStringLiteral("1×"));
        QCOMPARE(views::speedText(1000), QStringLiteral("1000×"));
    }
};

QTEST_GUILESS_MAIN(TestFormat)
#include "tst_format.moc"
