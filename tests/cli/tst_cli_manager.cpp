// SPDX-License-Identifier: GPL-3.0-or-later
#include "manager_place.h"

#include <csignal>

using namespace lockscope;
using namespace lockscope::tests;

/// `lockscope manager`, with no other process about.
class tst_cli_manager : public QObject, ManagerPlace {
    Q_OBJECT
    static void fieldsIn(const QJsonValue& value, QSet<QString>& fields) {
        for (const QJsonValue& item : value.toArray())
            fieldsIn(item, fields);
        const QJsonObject object = value.toObject();
        for (const QString& key : object.keys()) {
            if (!key.startsWith(QLatin1String("//"))) fields += key;
            fieldsIn(object[key], fields);
        }
    }

private Q_SLOTS:
    void initTestCase() { startServers(); }
    void init() { beginAnew(); }

    void theExampleIsRightAndTheReadmeKnowsItsFields() {
        const Ran ran =
            program({QStringLiteral("manager"), QStringLiteral(LOCKSCOPE_SOURCE_DIR "/tests/examples/manager.json"),
                     QStringLiteral("nonsense")});
        QVERIFY2(ran.status == 2 && ran.err.contains("there is no “manager … nonsense”; known are check"), ran.told());
        const Ran checked = manager("check");
        QVERIFY2(checked.status == 0 && checked.err.isEmpty(), checked.told());
        QVERIFY2(checked.out.contains("all its servers answer"), checked.told());
        QSet<QString> fields;
        fieldsIn(QJsonDocument::fromJson(content("locks.json")).object(), fields);
        QVERIFY(fields.size() > 15);
        for (const char* name : {"app/README.md", "app/README.zh_CN.md"}) {
            QFile readme(QStringLiteral(LOCKSCOPE_SOURCE_DIR "/") + QLatin1String(name));
            QVERIFY(readme.open(QIODevice::ReadOnly));
            const QString text = QString::fromUtf8(readme.readAll());
            for (const QString& field : fields)
                QVERIFY2(text.contains(QLatin1Char('`') + field + QLatin1Char('`')), qPrintable(field));
        }
    }

    void checkTellsEachMistakeWithItsLine() {
        put("locks.json", "{\"lockscope-manager\": 1,\n \"namespaces\": [{\"name\": \"shop\",\n"
                          "  \"engines\": [{\"url\": \"redis://ann:sesame@one\", \"recipe\": \"redis-sett\"}],\n"
                          "  \"witnesses\": [\"redsi://:sesame@two\"],\n  \"leese\": \"3s\"}]}\n");
        for (const char* words : {"check", "check --json", "status", "switch 0", "fail-back", "watch"}) {
            const Ran ran = manager(words);
            QVERIFY2(ran.status == 2, ran.told());
            QVERIFY2(ran.err.contains("locks.json:3: /namespaces/0/engines/0/recipe: there is no recipe “redis-sett”; "
                                      "did you mean “redis-set”?"),
                     ran.told());
            QVERIFY2(ran.err.contains("locks.json:4: /namespaces/0/witnesses/0: "), ran.told());
            QVERIFY2(ran.err.contains("locks.json:5: /namespaces/0/leese: there is no field “leese” here; did you mean "
                                      "“lease”?"),
                     ran.told());
            QVERIFY2(ran.err.trimmed().count('\n') == 2 && !ran.err.contains("sesame"), ran.told());
        }
        const QJsonArray mistakes = manager("check --json").object()[u"mistakes"].toArray();
        QCOMPARE(mistakes.size(), 3);
        QCOMPARE(mistakes[0][u"line"].toInt(), 3);
        QCOMPARE(mistakes[0][u"path"].toString(), QStringLiteral("/namespaces/0/engines/0/recipe"));
        put("locks.json", "{\"lockscope-manager\": 1}");
        const Ran none = manager("check");
        QVERIFY2(none.status == 2 && none.err.contains("at least one namespace is needed"), none.told());
        const Ran missing = program("manager /nowhere/locks.json status");
        QVERIFY2(missing.status == 2 && missing.err.contains("cannot be read"), missing.told());
    }

    void checkTellsWhatOnlyTheServersShow() {
        QByteArray text = content("locks.json");
        const QByteArray recipe = "\"recipe\": \"redis-fenced\"";
        text.replace(text.indexOf(recipe), recipe.size(), "\"recipe\": \"zk-mutex\"");
        const QByteArray witness = "[\"" + m_servers[2]->url().toUtf8() + "\"]";
        QVERIFY(text.contains(witness));
        put("locks.json", text.replace(witness, "[]"));
        const int first = int(text.left(text.indexOf("zk-mutex")).count('\n')) + 1;
        const int second = int(text.left(text.indexOf("\"on-failure\"")).count('\n')) + 1;
        const Ran ran = manager("check");
        QVERIFY2(ran.status == 2, ran.told());
        const auto place = [](int line, const char* path) {
            return "locks.json:" + QByteArray::number(line) + ": " + path + ": ";
        };
        QVERIFY2(ran.err.contains(place(first, "/namespaces/0/engines/0/recipe")), ran.told());
        QVERIFY2(ran.err.contains(place(second, "/namespaces/0/switch/on-failure")), ran.told());
        QCOMPARE(manager("check --json").object()[u"mistakes"].toArray().size(), 2);
    }

    void checkAsksAllServers() {
        m_servers[2]->kill();
        const Ran ran = manager("check");
        QVERIFY2(ran.status == 3 && ran.err.contains("not all its servers answer"), ran.told());
        QCOMPARE(ran.out.count("healthy"), 2);
        QCOMPARE(ran.out.count("does not answer"), 1);
        m_servers[0]->kill();
        const QJsonObject json = manager("check --json").object();
        QCOMPARE(json[u"mistakes"].toArray().size(), 0);
        const QJsonObject shop = json[u"namespaces"][0].toObject();
        QCOMPARE(shop[u"engines"][0][u"healthy"], QJsonValue(false));
        QVERIFY(!shop[u"engines"][0][u"trouble"].toString().isEmpty());
        QCOMPARE(shop[u"engines"][1][u"healthy"], QJsonValue(true));
        QCOMPARE(shop[u"record"][u"answered"].toInt(), 1);
        const Ran status = manager("status");
        QVERIFY2(status.status == 3 && status.out.contains("too few servers answer"), status.told());
    }

    void looksWriteNothing() {
        QCOMPARE(status()[u"state"].toString(), QStringLiteral("not-begun"));
        const Ran text = manager("status");
        QVERIFY2(text.status == 0 && text.out.contains("no process has begun yet"), text.told());
        QCOMPARE(manager("check").status, 0);
        for (const auto& server : m_servers)
            QCOMPARE(redis(*server, {QStringLiteral("DBSIZE")}), QByteArray("0"));
    }

    void thereAndBackByHand() {
        QCOMPARE(lock({}, "exit 0").status, 0);
        QCOMPARE(engine(), 0);
        const QDateTime before = QDateTime::currentDateTimeUtc();
        const Ran there = manager("switch shop 1");
        QVERIFY2(there.status == 0 && there.err.isEmpty(), there.told());
        const QByteArrayList lines = there.out.trimmed().split('\n');
        QVERIFY2(lines[0].contains("holders may finish within 2 s; nothing is granted for 6.6 s"), there.told());
        QVERIFY2(lines[1].contains("switch begun"), there.told());
        QVERIFY2(lines[2].contains("drained"), there.told());
        QVERIFY2(lines[3].contains("settled"), there.told());
        QVERIFY2(lines[4].endsWith("(fallback 1) is in use"), there.told());
        const QJsonObject now = status();
        QCOMPARE(now[u"state"].toString(), QStringLiteral("in-use"));
        QCOMPARE(now[u"engine"][u"index"].toInt(), 1);
        QCOMPARE(now[u"epoch"].toInt(), 2);
        QCOMPARE(now[u"reason"].toString(), QStringLiteral("hand"));
        QCOMPARE(now[u"switch"], QJsonValue(QJsonValue::Null));
        QCOMPARE(now[u"record"][u"agreeing"].toInt(), 3);
        const auto since = QDateTime::fromString(now[u"since"].toString(), Qt::ISODateWithMs);
        QVERIFY2(since >= before.addMSecs(6500) && since <= QDateTime::currentDateTimeUtc(), there.told());
        const Ran again = manager("switch 1");
        QVERIFY2(again.status == 0 && again.out.contains("in use already; nothing is changed"), again.told());
        const Ran back = manager("fail-back --json");
        QVERIFY2(back.status == 0, back.told());
        QCOMPARE(back.objects().back()[u"engine"][u"index"].toInt(-1), 0);
        QCOMPARE(status()[u"epoch"].toInt(), 3);
        const Ran text = manager("status");
        QVERIFY2(text.out.contains("(primary) is in use since ") && text.out.contains("switched by hand"), text.told());
    }

    void aSwitchUnderWayShowsItsEnd() {
        QCOMPARE(lock({}, "exit 0").status, 0);
        const auto switching = start(managerWords("switch 1"));
        QJsonObject seen;
        QVERIFY(QTest::qWaitFor(
            [&] {
                seen = status();
                return seen[u"state"].toString() == QStringLiteral("switching");
            },
            20'000));
        QCOMPARE(seen[u"engine"], QJsonValue(QJsonValue::Null)); // none grants
        QCOMPARE(seen[u"switch"][u"from"][u"index"].toInt(-1), 0);
        QCOMPARE(seen[u"switch"][u"to"][u"index"].toInt(-1), 1);
        QCOMPARE(seen[u"switch"][u"mode"].toString(), QStringLiteral("drain"));
        const auto began = QDateTime::fromString(seen[u"switch"][u"began"].toString(), Qt::ISODateWithMs);
        const auto until = QDateTime::fromString(seen[u"switch"][u"until"].toString(), Qt::ISODateWithMs);
        QCOMPARE(began.msecsTo(until), 6600);
        // It may be left alone: whoever comes next completes it.
        switching->terminate();
        QVERIFY(end(*switching));
        QCOMPARE(switching->exitCode(), 128 + SIGTERM);
        QVERIFY(switching->readAllStandardError().contains("the switch is decided and goes on"));
        const Ran held = lock({}, "echo $LOCKSCOPE_TOKEN");
        QVERIFY2(held.status == 0, held.told());
        QCOMPARE(held.out.trimmed().toLongLong() >> 48, 2LL);
        QCOMPARE(engine(), 1);
    }

    void whatCannotBeIsRefused() {
        QCOMPARE(lock({}, "exit 0").status, 0);
        const auto refused = [&](const char* words, int status, const char* says) {
            const Ran ran = manager(words);
            QVERIFY2(ran.status == status && ran.out.isEmpty(), ran.told());
            QVERIFY2(QString::fromUtf8(ran.err).contains(QString::fromUtf8(says)), ran.told());
        };
        refused("", 2, "what to do");
        refused("swich 1", 2, "did you mean “switch”?");
        refused("switch", 2, "ENGINE is missing");
        refused("switch 7", 2, "there is no engine “7”");
        refused("switch redis", 2, "may be several engines");
        refused("switch shopp 1", 2, "did you mean “shop”?");
        refused("switch 1 --immediate --drain", 2, "exclude each other");
        refused("status --drain", 2, "go with switch and fail-back");
        m_servers[1]->kill();
        refused("switch 1", 3, "so nobody could lock there");
        m_servers[2]->kill();
        refused("fail-back", 3, "too few servers answer");
        beginAnew({{"\"mode\": \"drain\"", "\"mode\": \"immediate\""}});
        const Ran drains = manager("switch 1 --drain");
        QVERIFY2(drains.status == 2 && drains.err.contains("switches immediately"), drains.told());
    }

    void noPasswordIsShown() {
        for (const auto& server : m_servers)
            redis(*server, {QStringLiteral("config"), QStringLiteral("set"), QStringLiteral("requirepass"),
                            QStringLiteral("sesame")});
        QByteArray text = content("locks.json");
        put("locks.json", text.replace("redis://", "redis://:sesame@"));
        QByteArray all;
        for (const char* words : {"check", "check --json", "status", "switch 1", "status --json"}) {
            const Ran ran = manager(words);
            QVERIFY2(ran.status == 0, ran.told());
            all += ran.out + ran.err;
        }
        put("locks.json", text.replace("sesame", "simsim"));
        const Ran wrong = manager("check");
        QVERIFY2(wrong.status == 3, wrong.told());
        for (const auto& server : m_servers)
            runProgram(QStringLiteral("redis-cli"),
                       {QStringLiteral("-p"), QString::number(server->port()), QStringLiteral("-a"),
                        QStringLiteral("sesame"), QStringLiteral("config"), QStringLiteral("set"),
                        QStringLiteral("requirepass"), QString()});
        QVERIFY2(!all.contains("sesame") && !(wrong.out + wrong.err).contains("simsim"), all);
    }

    void watchHasALineForEveryChange() {
        QCOMPARE(lock({}, "exit 0").status, 0);
        const auto watching = start(managerWords("watch"));
        const auto asData = start(managerWords("watch --json"));
        QByteArray seen;
        const auto untilSeen = [&](const char* words) {
            return QTest::qWaitFor([&] { return (seen += watching->readAllStandardOutput()).contains(words); }, 60'000);
        };
        QVERIFY2(untilSeen("found"), seen);
        QVERIFY2(seen.contains("(primary) is in use"), seen);
        QByteArray data;
        const auto untilTold = [&](const char* change) {
            const QByteArray field = "\"change\":\"" + QByteArray(change) + '"';
            return QTest::qWaitFor([&] { return (data += asData->readAllStandardOutput()).contains(field); }, 60'000);
        };
        QVERIFY2(untilTold("found"), data);
        QCOMPARE(manager("switch 1").status, 0);
        QVERIFY2(untilSeen("settled"), seen);
        QVERIFY2(seen.contains("switch begun") && seen.contains("drained"), seen);
        m_servers[0]->kill();
        QVERIFY2(untilSeen("unhealthy") && untilTold("unhealthy"), seen + data);
        m_servers[2]->kill();
        QVERIFY2(untilSeen("unreadable") && untilTold("unreadable"), seen + data);
        startServer(*m_servers[0]);
        startServer(*m_servers[2]);
        QVERIFY2(untilSeen("  healthy"), seen);
        QVERIFY2(untilTold("healthy"), data);
        for (const char* change : {"switch-begun", "drained", "settled"})
            QVERIFY2(untilTold(change), data);
        for (const auto& process : {watching.get(), asData.get()}) {
            process->terminate();
            QVERIFY(end(*process));
            QCOMPARE(process->exitCode(), 0); // that is how a watch ends
        }
        for (const QByteArray& line : data.trimmed().split('\n'))
            QVERIFY2(QJsonDocument::fromJson(line).isObject(), line);
    }
};

QTEST_GUILESS_MAIN(tst_cli_manager)
#include "tst_cli_manager.moc"
