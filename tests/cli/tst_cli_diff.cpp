// SPDX-License-Identifier: GPL-3.0-or-later
// Changes between two instants of a recording, and a stretch of it as a scenario.
#include "program.h"

#include <QTemporaryDir>

using namespace lockscope::tests;

class tst_cli_diff : public QObject {
    Q_OBJECT
    QTemporaryDir m_folder;
    QString m_recording;

    QString path(const char* name) const { return m_folder.filePath(QLatin1String(name)); }
    Ran diff(const QStringList& words) const {
        return program(QStringList{QStringLiteral("diff"), m_recording} + words);
    }

private Q_SLOTS:
    void initTestCase() {
        m_recording = path("run.lockscope");
        const Ran run = program({QStringLiteral("simulate"), QStringLiteral("gc-pause"), QStringLiteral("--json"),
                                 QStringLiteral("--record"), m_recording});
        QVERIFY2(run.status == 1, run.told());
    }

    void everyChangeIsASentenceOrAnObject() {
        const QStringList words{QStringLiteral("--from"), QStringLiteral("0s"), QStringLiteral("--to"),
                                QStringLiteral("20s")};
        const Ran plain = diff(words);
        QVERIFY2(plain.status == 0 && plain.err.isEmpty(), plain.told());
        QVERIFY2(plain.out.contains("“orders”"), plain.told());
        const Ran json = diff(words + QStringList{QStringLiteral("--json")});
        QCOMPARE(json.status, 0);
        const QList<QByteArray> lines = json.out.trimmed().split('\n');
        QCOMPARE(lines.size(), plain.out.trimmed().split('\n').size() - 1); // without the heading
        const QJsonObject first = QJsonDocument::fromJson(lines.front()).object();
        for (const char* field : {"change", "subject", "first", "second", "before", "after", "grants", "sentence"})
            QVERIFY2(first.contains(QLatin1String(field)), field);
    }

    void instantsThatDoNotExistAreRefused_data() {
        QTest::addColumn<QString>("from");
        QTest::addColumn<QString>("to");
        QTest::addColumn<QByteArray>("complaint");
        const auto row = [](const char* name, const char* from, const char* to, const char* complaint) {
            QTest::newRow(name) << QString::fromLatin1(from) << QString::fromLatin1(to) << QByteArray(complaint);
        };
        row("backwards", "9s", "3s", "--to must be later");
        row("beyond", "1s", "9h", "--to: the recording ends before that");
        row("no clock", "03:12", "03:15", "--from: this recording has no clock");
        row("no time", "soon", "9s", "--from");
    }
    void instantsThatDoNotExistAreRefused() {
        QFETCH(const QString, from);
        QFETCH(const QString, to);
        QFETCH(const QByteArray, complaint);
        const Ran ran = diff({QStringLiteral("--from"), from, QStringLiteral("--to"), to});
        QVERIFY2(ran.status == 2 && ran.err.contains(complaint), ran.told());
    }

    void bothInstantsAreNeeded() {
        const Ran ran = diff({QStringLiteral("--from"), QStringLiteral("1s")});
        QVERIFY2(ran.status == 2 && ran.err.contains("--to is missing"), ran.told());
    }

    /// The scenario can be played, under another lease, too.
    void aStretchBecomesAScenario() {
        const Ran ran =
            program({QStringLiteral("export"), m_recording, QStringLiteral("--to"), QStringLiteral("scenario"),
                     path("again.json"), QStringLiteral("--until"), QStringLiteral("20s")});
        QVERIFY2(ran.status == 0, ran.told());
        const Ran again = program({QStringLiteral("simulate"), path("again.json"), QStringLiteral("--json")});
        QVERIFY2(again.status == 1 && again.object()[u"acquisitions"].toInt() > 1, again.told());
        QCOMPARE(again.object()[u"until_ms"].toDouble(), 20'000.0);
        const Ran nobody =
            program({QStringLiteral("export"), m_recording, QStringLiteral("--to"), QStringLiteral("scenario"),
                     QStringLiteral("-"), QStringLiteral("--until"), QStringLiteral("1ms")});
        QVERIFY2(nobody.status == 2 && nobody.err.contains("nobody used a lock"), nobody.told());
    }
};

QTEST_GUILESS_MAIN(tst_cli_diff)
#include "tst_cli_diff.moc"
