// SPDX-License-Identifier: GPL-3.0-or-later
#include "lock_place.h"
#include "terminal.h"

using namespace lockscope;
using namespace lockscope::tests;

/// A URL with a user and no password: the person at the terminal is asked for it, and a script is not.
class tst_cli_password : public QObject, LockPlace {
    Q_OBJECT
    /// "redis://ann@127.0.0.1:6379", with something behind the user.
    QString url(const char* behindUser = "") const {
        return QStringLiteral("redis://ann%1@127.0.0.1:%2").arg(QLatin1String(behindUser)).arg(m_server->port());
    }
    static std::unique_ptr<PersonAtTerminal> sitDown(const QString& folder, const QStringList& words) {
        return std::make_unique<PersonAtTerminal>(
            folder, QStringList{QStringLiteral("env"), QStringLiteral("LC_ALL=C.UTF-8"), kProgram} + words);
    }

private Q_SLOTS:
    void initTestCase() {
        sandbox::RedisServerOptions options;
        options.users.push_back({QStringLiteral("ann"), QStringLiteral("ses:me@me"), QStringLiteral("~* &* +@all")});
        m_server = std::make_unique<sandbox::RedisServer>(m_runtime, options);
        const auto started = QCoro::waitFor(m_server->start());
        QVERIFY2(started.has_value(), started ? "" : qPrintable(started.error()));
        newFolder();
        redis({QStringLiteral("SET"), QStringLiteral("lock:a"), QStringLiteral("me")});
    }
    void cleanupTestCase() { m_server.reset(); }

    void isAskedForAndNotShown_data() {
        QTest::addColumn<QStringList>("words"); // {url}: the URL
        QTest::addColumn<QByteArray>("sign");
        QTest::newRow("watch") << QStringList{QStringLiteral("watch"), QStringLiteral("{url}"),
                                              QStringLiteral("--once")}
                               << QByteArray("lock:a");
        QTest::newRow("lock") << QStringList{QStringLiteral("lock"), QStringLiteral("{url}"), QStringLiteral("orders"),
                                             QStringLiteral("--"),   QStringLiteral("echo"),  QStringLiteral("here")}
                              << QByteArray("here");
    }
    void isAskedForAndNotShown() {
        QFETCH(QStringList, words);
        QFETCH(QByteArray, sign);
        words.replaceInStrings(QStringLiteral("{url}"), url());
        const auto person = sitDown(m_folder->path(), words);
        QVERIFY2(person->there(), "there are no terminals here");
        QVERIFY2(person->untilSeen("Password of ann"), person->seen());
        person->type("ses:me@me\n");
        QVERIFY2(person->until([&] { return person->status().has_value(); }), person->seen());
        QVERIFY2(WIFEXITED(*person->status()) && WEXITSTATUS(*person->status()) == 0, person->seen());
        QVERIFY2(person->seen().contains(sign), person->seen());
        QVERIFY2(!person->seen().contains("ses:me"), person->seen());
    }

    void aSignalEndsTheQuestion() {
        const auto person = sitDown(m_folder->path(), {QStringLiteral("watch"), url(), QStringLiteral("--once")});
        QVERIFY2(person->untilSeen("Password of ann"), person->seen());
        person->type("\x03"); // Ctrl+C
        QVERIFY2(person->until([&] { return person->status().has_value(); }), person->seen());
        QVERIFY2(WIFSIGNALED(*person->status()) && WTERMSIG(*person->status()) == SIGINT, person->seen());
    }

    void nothingTypedLeavesTheUrlAsItIs() {
        const auto person = sitDown(m_folder->path(), {QStringLiteral("watch"), url(), QStringLiteral("--once")});
        QVERIFY2(person->untilSeen("Password of ann"), person->seen());
        person->type("\n");
        QVERIFY2(person->untilSeen("has a user but no password"), person->seen());
    }

    void nobodyIsAskedWhereNothingIsMissing_data() {
        QTest::addColumn<QString>("behindUser");
        QTest::addColumn<QString>("option");
        QTest::newRow("a password") << QStringLiteral(":ses%3Ame%40me") << QString();
        QTest::newRow("elsewhere") << QString() << QStringLiteral("?password-env=NOT_SET_HERE");
        QTest::newRow("none on purpose") << QStringLiteral(":") << QString();
    }
    void nobodyIsAskedWhereNothingIsMissing() {
        QFETCH(QString, behindUser);
        QFETCH(QString, option);
        const auto person =
            sitDown(m_folder->path(), {QStringLiteral("watch"), url(behindUser.toLatin1().constData()) + option,
                                       QStringLiteral("--once")});
        QVERIFY2(person->until([&] { return person->status().has_value(); }), person->seen());
        QVERIFY2(!person->seen().contains("Password of"), person->seen());
    }

    void aScriptIsNotAsked() {
        const Ran ran = program({QStringLiteral("watch"), url(), QStringLiteral("--once")});
        QVERIFY2(ran.status == 2 && ran.err.contains("has a user but no password"), ran.told());
    }
};

QTEST_GUILESS_MAIN(tst_cli_password)
#include "tst_cli_password.moc"
