// SPDX-License-Identifier: GPL-3.0-or-later
#include "program.h"

#include <QSqlDatabase>
#include <QSqlQuery>
#include <QTemporaryDir>

using namespace lockscope::tests;

class tst_cli_recordings : public QObject {
    Q_OBJECT
    QTemporaryDir m_folder;
    QString path(const char* name) const { return m_folder.filePath(QLatin1String(name)); }
    Ran record(const char* scenario, const QString& file) const {
        return program({QStringLiteral("simulate"), QLatin1String(scenario), QStringLiteral("--seed"),
                        QStringLiteral("3"), QStringLiteral("--json"), QStringLiteral("--record"), file});
    }
    Ran check(const QString& file) const { return program({QStringLiteral("check"), file, QStringLiteral("--json")}); }

private Q_SLOTS:
    void aRecordingIsJudgedAsItsRunWas_data() {
        QTest::addColumn<QString>("scenario");
        QTest::addColumn<int>("status");
        QTest::newRow("violated") << QStringLiteral("gc-pause") << 1;
        QTest::newRow("holds") << QStringLiteral("crash-holder") << 0;
    }
    void aRecordingIsJudgedAsItsRunWas() {
        QFETCH(QString, scenario);
        QFETCH(int, status);
        const QString file = path("run.lockscope");
        const Ran run = record(scenario.toUtf8().constData(), file);
        QVERIFY2(run.status == status, run.told());
        const Ran judged = check(file);
        QVERIFY2(judged.status == status && judged.err.isEmpty(), judged.told());
        const QJsonObject was = run.object(), is = judged.object();
        for (const char* field : {"digest", "events", "acquisitions", "seed", "until_ms", "recipe", "violations"}) {
            QCOMPARE(is[QLatin1String(field)], was[QLatin1String(field)]);
        }
        QCOMPARE(is[u"finished"], QJsonValue(true));
        QCOMPARE(is[u"invariants"][u"ownership"], QJsonValue(QStringLiteral("holds")));
        QCOMPARE(is[u"invariants"][u"mutual-exclusion"],
                 QJsonValue(status == 1 ? QStringLiteral("violated") : QStringLiteral("holds")));
        const Ran plain = program({QStringLiteral("check"), file});
        QVERIFY2(plain.status == status && plain.out.contains("mutual-exclusion"), plain.told());
    }

    void changedBoundsAreFound() {
        const QString file = path("sealed.lockscope");
        record("gc-pause", file);
        {
            QSqlDatabase db = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), QStringLiteral("change"));
            db.setDatabaseName(file);
            QVERIFY(db.open());
            QSqlQuery q(db);
            QVERIFY(q.exec(QStringLiteral("UPDATE meta SET value = 3600000000000 WHERE key = 'progress_bound_ns'")));
        }
        QSqlDatabase::removeDatabase(QStringLiteral("change"));
        const Ran judged = check(file);
        QCOMPARE(judged.object()[u"whole"], QJsonValue(false));
        QVERIFY2(judged.err.contains("was changed after it was recorded"), judged.told());
    }

    void whatIsNoRecordingIsRefused() {
        const Ran missing = check(path("no-such.lockscope"));
        QVERIFY2(missing.status == 2 && missing.out.isEmpty() && missing.err.contains("no-such.lockscope"),
                 missing.told());
        QFile file(path("text.lockscope"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("this is a text and not a database at all, however long it may go on");
        file.close();
        const Ran text = check(file.fileName());
        QVERIFY2(text.status == 2 && text.out.isEmpty() && text.err.contains("text.lockscope"), text.told());
    }

    /// However much is left of a broken file: no crash, and no verdict "holds", unless the digest proves that no event
    /// is gone.
    void aTruncatedRecordingIsNotFine() {
        const QString file = path("whole.lockscope");
        const Ran run = record("crash-holder", file);
        QCOMPARE(run.status, 0);
        int refused = 0;
        QFile whole(file);
        QVERIFY(whole.open(QIODevice::ReadOnly));
        const QByteArray bytes = whole.readAll();
        for (const int percent : {0, 1, 10, 30, 50, 70, 90, 99}) {
            QFile cut(path("cut.lockscope"));
            QVERIFY(cut.open(QIODevice::WriteOnly));
            cut.write(bytes.left(bytes.size() * percent / 100));
            cut.close();
            const Ran ran = check(cut.fileName());
            if (ran.status == 0) {
                QCOMPARE(ran.object()[u"digest"], run.object()[u"digest"]);
                continue;
            }
            ++refused;
            QVERIFY2(ran.status == 2 || ran.status == 4, QByteArray::number(percent) + " %: " + ran.told());
            QVERIFY2(!ran.err.isEmpty(), ran.told());
        }
        QVERIFY(refused >= 4);
    }

    void aRecordingThatCannotBeWrittenIsToldOf() {
        const Ran ran = record("gc-pause", path("no/such/folder/x.lockscope"));
        QVERIFY2(ran.status == 2 && ran.err.contains("no/such/folder"), ran.told());
    }
};

QTEST_GUILESS_MAIN(tst_cli_recordings)
#include "tst_cli_recordings.moc"
