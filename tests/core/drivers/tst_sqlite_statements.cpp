// SPDX-License-Identifier: Apache-2.0
#include "drivers/sql/sqlite_statements.h"

#include <QSqlDatabase>
#include <QSqlQuery>
#include <QTemporaryDir>
#include <QTest>

using namespace lockscope::sql;

/// SQLite's own calls beside QtSql's, on one connection.
class TestSqliteStatements : public QObject {
    Q_OBJECT
    struct Open {
        explicit Open(const QString& file, const QString& n) : name(n) {
            database = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), name);
            database.setDatabaseName(file);
            if (database.open()) statements = SqliteStatements::on(database, QStringLiteral("x.db"));
        }
        ~Open() {
            statements.reset();
            database.close();
            database = QSqlDatabase();
            QSqlDatabase::removeDatabase(name);
        }
        Open(const Open&) = delete;
        Open& operator=(const Open&) = delete;
        bool byQt(const QString& text) const { return QSqlQuery(database).exec(text); }
        Result ask(const QByteArray& text, Values values = {}) const { return statements->run({text, values}); }
        QString name;
        QSqlDatabase database;
        std::unique_ptr<SqliteStatements> statements;
    };
    QString file() const { return m_folder.filePath(QString::fromLatin1(QTest::currentTestFunction())); }

private Q_SLOTS:
    void valuesComeBackAsTheyWent() {
        const Open open(file(), QStringLiteral("a"));
        QVERIFY(open.statements); // Debian's Qt uses Debian's SQLite
        QVERIFY(open.byQt(QStringLiteral("CREATE TABLE t (number INTEGER, name TEXT, absent TEXT)")));
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
            QVERIFY(open.byQt(QStringLiteral("UPDATE t SET absent = NULL")));
        }
        const Result raised = open.ask("UPDATE t SET number = ? RETURNING number", {std::int64_t(8)});
        QVERIFY(raised);
        QCOMPARE(raised->number(), std::int64_t(8));
        QCOMPARE(raised->affected, std::int64_t(1));
    }

    void errorsSayWhatIsWrong() {
        const Open open(file(), QStringLiteral("a"));
        const Result missing = open.ask("SELECT name FROM t WHERE name = ?", {QByteArray("x")});
        QVERIFY(!missing && missing.error().kind == Error::Kind::MissingTable);
        QVERIFY(open.byQt(QStringLiteral("CREATE TABLE t (name TEXT PRIMARY KEY)")));
        QVERIFY(open.ask("INSERT INTO t VALUES (?)", {QByteArray("x")})); // what could not be prepared before
        const Result twice = open.ask("INSERT INTO t VALUES (?)", {QByteArray("x")});
        QVERIFY(!twice && twice.error().kind == Error::Kind::DuplicateKey);
        QVERIFY(open.ask("INSERT INTO t VALUES (?)", {QByteArray("y")}));
        const Result tooMany = open.ask("INSERT INTO t VALUES (?)", {QByteArray("z"), std::int64_t(1)});
        QVERIFY(!tooMany && tooMany.error().kind == Error::Kind::Refused);
        QCOMPARE(open.ask("SELECT COUNT(*) FROM t WHERE name <> ?", {QByteArray("z")})->number(), std::int64_t(2));
    }

    void whatAnotherHasLockedIsWaitedFor() {
        const Open open(file(), QStringLiteral("a")), other(file(), QStringLiteral("b"));
        QVERIFY(open.byQt(QStringLiteral("CREATE TABLE t (name TEXT)")));
        QVERIFY(open.byQt(QStringLiteral("PRAGMA busy_timeout = 10")));
        QVERIFY(other.byQt(QStringLiteral("BEGIN IMMEDIATE")));
        const Result locked = open.ask("INSERT INTO t VALUES (?)", {QByteArray("x")});
        QVERIFY(!locked && locked.error().kind == Error::Kind::WaitExceeded);
        QVERIFY(other.byQt(QStringLiteral("COMMIT")));
        QVERIFY(open.ask("INSERT INTO t VALUES (?)", {QByteArray("x")}));
    }

private:
    QTemporaryDir m_folder;
};

QTEST_GUILESS_MAIN(TestSqliteStatements)
#include "tst_sqlite_statements.moc"
