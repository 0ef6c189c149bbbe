// SPDX-License-Identifier: Apache-2.0
#include "drivers/sql/driver.h"
#include "drivers/sql/literal.h"
#include "drivers/sql/named_lock.h"
#include "drivers/sql/schema.h"
#include "recipes/sql/sql_advisory.h"
#include "runtime/event_loop_runtime.h"

#include <QTest>

using namespace lockscope;
using namespace lockscope::sql;

/// The parts of statements, and requests that are refused before any server is asked.
class TestSqlWords : public QObject {
    Q_OBJECT
    static ConnectionUrl urlOf(const char* text) { return parseConnectionUrl(QString::fromLatin1(text)).value(); }
    std::expected<std::unique_ptr<recipes::Recipe>, LockError>
    make(const char* url, const char* id, const QByteArray& name, const QByteArray& client = "client") {
        m_drivers.push_back(std::make_unique<SqlDriver>(m_runtime, urlOf(url)));
        return recipes::makeSqlRecipe(id, {*m_drivers.back(), name, client}); // connects to nothing until it is asked
    }

private Q_SLOTS:
    void literals() {
        QCOMPARE(literal(Dialect::MySql, Value(std::int64_t(-7))), QByteArray("-7"));
        QCOMPARE(literal(Dialect::MySql, Value()), QByteArray("NULL"));
        QCOMPARE(literal(Dialect::MySql, Value(QByteArray())), QByteArray("''"));
        // Nothing that a text contains stands in the statement as it is.
        QCOMPARE(literal(Dialect::MySql, Value(QByteArray("a'\\"))), QByteArray("x'61275c'"));
        QCOMPARE(literal(Dialect::PostgreSql, Value(QByteArray("it's \\ ?"))), QByteArray("'it''s \\ ?'"));
    }
    void marksInTextsAreNotReplaced() {
        const Statement statement{"SELECT ?, ? WHERE a = ?",
                                  valuesOf(QByteArray("?"), std::int64_t(2), QByteArray("'?"))};
        QCOMPARE(inlined(Dialect::PostgreSql, statement), QByteArray("SELECT '?', 2 WHERE a = '''?'"));
        QCOMPARE(numbered(statement.text), QByteArray("SELECT $1, $2 WHERE a = $3"));
    }
    void names() {
        QVERIFY(validName("orders", 255));
        QVERIFY(validName("锁🔒", 255));
        QVERIFY(validName(QByteArray(255, 'x'), 255));
        QVERIFY(!validName(QByteArray(256, 'x'), 255));
        QVERIFY(!validName("", 255));
        QVERIFY(!validName(QByteArray("a\0b", 3), 255));
        QVERIFY(!validName("\xff\xfe", 255));
        QVERIFY(!validName("\xed\xa0\x80", 255)); // half of a pair
    }
    void tableNames() {
        QCOMPARE(quotedTable(Dialect::MySql, QStringLiteral("my_locks")), QByteArray("`my_locks`"));
        QCOMPARE(quotedTable(Dialect::PostgreSql, QStringLiteral("infra.Locks")), QByteArray("\"infra\".\"Locks\""));
        for (const char* wrong : {"", "a b", "a\"b", "a`b", "1a", "a.b.c", "a;b", "é", ".a"})
            QVERIFY2(quotedTable(Dialect::MySql, QString::fromUtf8(wrong)).isEmpty(), wrong);
        QVERIFY(quotedTable(Dialect::Sqlite, QString(49, u'x')).isEmpty());
    }
    void advisoryKeysStayAsTheyAre() {
        // A change would part us from everybody who holds locks now.
        QCOMPARE(hashedKey("orders"), std::int64_t(2023957755765852388LL));
        QCOMPARE(hashedKey("锁"), std::int64_t(5720408396146822570LL));
    }
    void advisoryKeysByKind_data() {
        QTest::addColumn<QByteArray>("name");
        QTest::addColumn<int>("kind");
        QTest::addColumn<bool>("made");
        QTest::addColumn<qlonglong>("number");
        QTest::addColumn<bool>("two");
        const auto row = [](const char* title, const QByteArray& name, sql::KeyKind kind, std::int64_t number,
                            bool two = false) {
            QTest::newRow(title) << name << int(kind) << true << qlonglong(number) << two;
        };
        const auto refusal = [](const char* title, const QByteArray& name, sql::KeyKind kind) {
            QTest::newRow(title) << name << int(kind) << false << qlonglong(0) << false;
        };
        using sql::KeyKind;
        row("a number", "4242424242", KeyKind::Usual, 4242424242);
        row("a negative one", "-7", KeyKind::Usual, -7);
        row("the greatest", "9223372036854775807", KeyKind::Usual, std::numeric_limits<std::int64_t>::max());
        row("the least", "-9223372036854775808", KeyKind::Usual, std::numeric_limits<std::int64_t>::min());
        for (const char* word : {"9223372036854775808", "007", "+7", "-0", " 7", "7.0", "0x10", "12,34", "seven"})
            row(word, word, KeyKind::Usual, hashedKey(word));
        row("a number that is hashed", "7", KeyKind::Hash, hashedKey("7"));
        row("a number that has to be one", "7", KeyKind::Number, 7);
        refusal("a word that has to be a number", "seven", KeyKind::Number);
        refusal("two that have to be a number", "1,2", KeyKind::Number);
        row("two", "12,34", KeyKind::TwoInt, (std::int64_t(12) << 32) + 34, true);
        row("two negative ones", "-1,-2", KeyKind::TwoInt, -2, true);
        for (const char* word : {"12", "12,", "1,2,3", "1, 2", "2147483648,1", "a,b"})
            refusal(word, word, KeyKind::TwoInt);
    }
    void advisoryKeysByKind() {
        QFETCH(QByteArray, name);
        QFETCH(int, kind);
        QFETCH(bool, made);
        QFETCH(qlonglong, number);
        QFETCH(bool, two);
        const auto key = advisoryKeyOf(name, sql::KeyKind(kind));
        QCOMPARE(key.has_value(), made);
        if (!made) {
            QCOMPARE(key.error().kind, Error::Kind::Refused);
            return;
        }
        QCOMPARE(key->number, std::int64_t(number));
        QCOMPARE(key->two, two);
    }
    void whatTheDatabaseCannotDoIsSaid() {
        for (const char* id : {"sql-for-update", "sql-advisory"}) {
            const auto refused = make("sqlite:///tmp/x.db", id, "a");
            QVERIFY(!refused);
            QVERIFY(refused.error().kind == LockError::Kind::NotSupported);
            QVERIFY2(refused.error().message.contains(QLatin1String("sql-lease")), qPrintable(refused.error().message));
        }
        for (const char* id : {"sql-row", "sql-lease", "sql-version"})
            QVERIFY(make("sqlite:///tmp/x.db", id, "a").value() != nullptr);
        QVERIFY(make("mysql://h/d", "sql-unheard-of", "a").value() == nullptr);
    }
    void namesThatCannotBeAreRefused() {
        for (const char* id : {"sql-row", "sql-lease", "sql-version", "sql-for-update", "sql-advisory"}) {
            const auto empty = make("mysql://h/d", id, "");
            QVERIFY2(!empty && empty.error().kind == LockError::Kind::Refused, id);
            QVERIFY(!make("postgresql://h/d", id, QByteArray(256, 'x')));
            QVERIFY(make("postgresql://h/d", id, QByteArray(255, 'x')));
        }
        QVERIFY(!make("mysql://h/d", "sql-advisory", QByteArray(193, 'x'))); // GET_LOCK's own limit
        QVERIFY(make("mysql://h/d", "sql-advisory", QByteArray(192, 'x')));
    }
    void clientsThatDoNotFitAreRefused() {
        for (const char* id : {"sql-row", "sql-lease", "sql-version"}) {
            QVERIFY(make("mysql://h/d", id, "a", QByteArray(217, 'x')));
            const auto refused = make("mysql://h/d", id, "a", QByteArray(218, 'x'));
            QVERIFY2(!refused && refused.error().kind == LockError::Kind::Refused, id);
            QVERIFY2(refused.error().message.contains(QLatin1String("217")), qPrintable(refused.error().message));
        }
        for (const char* id : {"sql-for-update", "sql-advisory"}) // the server knows them by their connection
            QVERIFY(make("mysql://h/d", id, "a", QByteArray(300, 'x')));
    }
    void ownersFitIntoTheTable() {
        SqlDriver port(m_runtime, urlOf("mysql://h/d"));
        const QByteArray client(217, 'x');
        const recipes::SqlLock lock{port, "a", client};
        QCOMPARE(recipes::ownerOf(lock, "18446744073709551615").size(), 255);
        QVERIFY(recipes::ownerOf(lock, "18446744073709551615").startsWith(client + ":18446744073709551615:"));
        const QByteArray one = recipes::ownerOf(lock, QByteArray("锁").repeated(20));
        QVERIFY(one.startsWith(client + ':' + QByteArray("锁").repeated(6) + ':')); // and no half of the seventh
        QCOMPARE(one.size(), 217 + 18 + 18);
        QVERIFY(one != recipes::ownerOf(lock, QByteArray("锁").repeated(20)));
    }
    void schemasHaveAUniqueKey_data() {
        QTest::addColumn<int>("dialect");
        QTest::newRow("mysql") << int(Dialect::MySql);
        QTest::newRow("postgresql") << int(Dialect::PostgreSql);
        QTest::newRow("sqlite") << int(Dialect::Sqlite);
    }
    void schemasHaveAUniqueKey() {
        QFETCH(int, dialect);
        const QString text = schemaText(tablesOf(Dialect(dialect), QStringLiteral("locks")));
        QVERIFY2(text.contains(QLatin1String("name")) && text.contains(QLatin1String("NOT NULL PRIMARY KEY")),
                 qPrintable(text));
        QVERIFY(text.contains(QLatin1String("locks_schema")));
    }
    void passwordsAreNotShown() {
        const ConnectionUrl url = urlOf("mysql://user:hush@host:1/db");
        const auto settings = settingsOf(url);
        QCOMPARE(settings->password, QStringLiteral("hush"));
        QCOMPARE(settings->where, QStringLiteral("host:1/db"));
    }

private:
    EventLoopRuntime m_runtime;
    std::vector<std::unique_ptr<SqlDriver>> m_drivers;
};

QTEST_GUILESS_MAIN(TestSqlWords)
#include "tst_sql_words.moc"
