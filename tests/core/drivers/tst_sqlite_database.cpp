// SPDX-License-Identifier: Apache-2.0
#include "drivers/sql/sqlite_database.h"

#include <QTemporaryDir>
#include <QTest>

using namespace lockscope::sql;

/// SQLite's own calls.
class TestSqliteDatabase : public QObject {
    Q_OBJECT
    struct Open {
        explicit Open(const QString& file) : database(file, QStringLiteral("x.db")), opened(database.open()) {}
        Result ask(const QByteArray& text, Values values = {}) {
            Command command;
            command.statement = {text, std::move(values)};
            return database.run(command);
        }
        SqliteDatabase database;
        Result opened;
    };
    QString file() const { return m_folder.filePath(QString::fromLatin1(QTest::currentTestFunction())); }

private Q_SLOTS:
    void valuesComeBackAsTheyWent() {
        Open open(file());
        QVERIFY(open.opened);
        QVERIFY(open.ask("CREATE TABLE t (number INTEGER, name TEXT, absent TEXT)"));
        const QByteArray name = "Lücke “x” 锁";
        const Result made = open.ask("INSERT INTO t VALUES (?, ?, ?)", {std::int64_t(INT64_MIN), name, {}});
        QVERIFY(made);
        QCOMPARE(made->affected, std::int64_t(1));
        for (int again = 0; again < 2; ++again) { // prepared, and not held open by the first time
            const Result read = open.ask("SELECT number, name, absent FROM t WHERE name = ?", {name});
            QVERIFY(read);
            QCOMPARE(read->rows.size(), std::size_t(1));
            QCOMPARE(read->number(), std::int64_t(INT64_MIN));
            QCOMPARE(read->text(0, 1), name);
            QVERIFY(read->isNull(0, 2));
            QCOMPARE(read->affected, std::int64_t(0));
            QVERIFY(open.ask("UPDATE t SET absent = NULL"));
        }
        const Result raised = open.ask("UPDATE t SET number = ? RETURNING number", {std::int64_t(8)});
        QVERIFY(raised);
        QCOMPARE(raised->number(), std::int64_t(8));
        QCOMPARE(raised->affected, std::int64_t(1));
    }

    /// As for who only looks.
    void aFileThatIsNotThereIsNotMadeUnasked() {
        SqliteDatabase reading(file(), QStringLiteral("x.db"), false);
        const Result opened = reading.open();
        QVERIFY(!opened && opened.error().kind == Error::Kind::Unreachable);
        QVERIFY(!QFile::exists(file()));
        Open made(file());
        QVERIFY(made.opened && QFile::exists(file()));
        SqliteDatabase again(file(), QStringLiteral("x.db"), false);
        QVERIFY(again.open());
    }

    void errorsSayWhatIsWrong() {
        Open open(file());
        const Result missing = open.ask("SELECT name FROM t WHERE name = ?", {QByteArray("x")});
        QVERIFY(!missing && missing.error().kind == Error::Kind::MissingTable);
        QVERIFY(open.ask("CREATE TABLE t (name TEXT PRIMARY KEY)"));
        QVERIFY(open.ask("INSERT INTO t VALUES (?)", {QByteArray("x")})); // what could not be prepared before
        const Result twice = open.ask("INSERT INTO t VALUES (?)", {QByteArray("x")});
        QVERIFY(!twice && twice.error().kind == Error::Kind::DuplicateKey);
        QVERIFY(open.ask("INSERT INTO t VALUES (?)", {QByteArray("y")}));
        const Result tooMany = open.ask("INSERT INTO t VALUES (?)", {QByteArray("z"), std::int64_t(1)});
        QVERIFY(!tooMany && tooMany.error().kind == Error::Kind::Refused);
        QCOMPARE(open.ask("SELECT COUNT(*) FROM t WHERE name <> ?", {QByteArray("z")})->number(), std::int64_t(2));
    }

    void whatAnotherHasLockedIsWaitedFor() {
        Open open(file()), other(file());
        QVERIFY(open.ask("CREATE TABLE t (name TEXT)"));
        QVERIFY(other.ask("BEGIN IMMEDIATE"));
        const Result locked = open.ask("INSERT INTO t VALUES (?)", {QByteArray("x")});
        QVERIFY(!locked && locked.error().kind == Error::Kind::WaitExceeded);
        QVERIFY(other.ask("COMMIT"));
        QVERIFY(open.ask("INSERT INTO t VALUES (?)", {QByteArray("x")}));
    }

private:
    QTemporaryDir m_folder;
};

QTEST_GUILESS_MAIN(TestSqliteDatabase)
#include "tst_sqlite_database.moc"
