// SPDX-License-Identifier: Apache-2.0
#include "manager_world.h"

#include <QTest>

using namespace lockscope;
using namespace lockscope::tests;

/// Valid configurations of a manager, and the messages about mistakes in them.
class TestManagerConfig : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void wrongConfigurationsAreExplained_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("contains");
        const auto row = [](const char* name, QByteArray text, const char* contains) {
            QTest::newRow(name) << text << QString::fromUtf8(contains);
        };
        row("no JSON", "{", "JSON");
        row("no object", "[1]", "another JSON value");
        row("version", QByteArray("{'lockscope-manager': 2}").replace('\'', '"'), "later version");
        row("no namespaces", QByteArray("{'lockscope-manager': 1}").replace('\'', '"'),
            "/namespaces: at least one namespace is needed");
        row("empty namespaces", QByteArray("{'lockscope-manager': 1, 'namespaces': []}").replace('\'', '"'),
            "/namespaces: at least one namespace is needed");
        row("unknown word", configText("drain", ", 'lese': '3s'"),
            "/namespaces/0/lese: there is no field “lese” here; did you mean “lease”?");
        row("mode", configText("drian"), "/namespaces/0/switch/mode: “drian” is not known here; did you mean “drain”?");
        row("url", configText("drain").replace("redis://two", "redsi://two"), "/namespaces/0/engines/1/url");
        row("recipe", configText("drain").replace("redis-reentrant", "redis-reetrant"), "redis-reetrant");
        row("naive", configText("drain").replace("redis-reentrant", "redis-set-del"), "allow-naive");
        row("twice", configText("drain").replace("redis://two", "redis://one"), "twice");
        row("duration", configText("drain").replace("\"3s\"", "\"3 seconds\""), "/namespaces/0/lease");
        row("too long", configText("drain").replace("\"2s\"", "\"200000000m\""),
            "drain-for: this is longer than 365 days");
        row("sum too long", configText("drain").replace("\"1s\"", "\"150000000m\""), "confirm-for");
        row("password", configText("drain").replace("redis://two", "redis://:sesame@two:x"), "/engines/1/url");
        row("misspelt password",
            configText("drain").replace("\"url\": \"redis://two\"", "\"ulr\": \"redis://:sesame@two\""), "“url”");
        row("returns too soon",
            configText("drain").replace("\"on-failure\"", "\"fail-back-after\": \"5s\", \"on-failure\""),
            "shorter than a switch takes, 6.6 s");
        row("returns from nothing",
            configText("drain").replace("\"on-failure\": true", "\"fail-back-after\": \"5m\", \"on-failure\": false"),
            "by hand only");
    }
    void wrongConfigurationsAreExplained() {
        QFETCH(QByteArray, text);
        QFETCH(QString, contains);
        const auto config = readManagerConfig(text);
        QVERIFY(!config);
        QVERIFY2(config.error().contains(contains), qPrintable(config.error()));
        QVERIFY2(!config.error().contains(QStringLiteral("sesame")), qPrintable(config.error()));
    }

    void allMistakesAreToldWithTheirLines() {
        const QByteArray text = QByteArray("{'lockscope-manager': 1,\n"
                                           " '// to whom it may concern': 'comments are allowed',\n"
                                           " 'namespaces': [{'name': 'shop',\n"
                                           "  'engines': [{'url': 'redis://one', 'recipe': 'redis-renetrant'},\n"
                                           "              {'ulr': 'redis://:sesame@two', 'recipe': 'redis-set'},\n"
                                           "              {'url': 'redsi://:sesame@three', 'recipe': 'redis-set'}],\n"
                                           "  'lease': 30,\n"
                                           "  'lease': '30s',\n"
                                           "  'health': {'failures': 0}}]}")
                                    .replace('\'', '"');
        const auto config = parseManagerConfig(text);
        QVERIFY(!config);
        QStringList told;
        for (const ConfigMistake& mistake : config.error())
            told += mistake.toString();
        const QString all = told.join(QLatin1Char('\n'));
        QVERIFY2(!all.contains(QStringLiteral("sesame")), qPrintable(all));
        const QStringList expected{
            QStringLiteral("line 4: /namespaces/0/engines/0/recipe: there is no recipe “redis-renetrant”; did you mean "
                           "“redis-reentrant”?"),
            QStringLiteral("line 5: /namespaces/0/engines/1/ulr: there is no field “ulr” here; did you mean “url”?"),
            QStringLiteral("line 6: /namespaces/0/engines/2/url: "),
            QStringLiteral("line 8: /namespaces/0/lease: this field stands here for the second time; leave one out"),
            QStringLiteral("line 9: /namespaces/0/health/failures: a whole number from 1 to 1000 should stand here")};
        QCOMPARE(told.size(), expected.size());
        for (qsizetype i = 0; i < expected.size(); ++i)
            QVERIFY2(told[i].startsWith(expected[i]), qPrintable(all));
    }

    void programsMayNotSayForEverEither() {
        ManagerConfig config = readManagerConfig(configText("drain")).value();
        QVERIFY(!complaintOf(config));
        config.namespaces[0].drainFor = kNever;
        QVERIFY(complaintOf(config).value_or(QString()).contains(QStringLiteral("365")));
    }

    void healthIsCheckedNowAndThen() {
        const ManagerConfig config = readManagerConfig(configText("drain")).value();
        const auto refuses = [&](auto change) {
            ManagerConfig changed = config;
            change(changed.namespaces[0]);
            return complaintOf(changed).has_value();
        };
        QVERIFY(!refuses([](NamespaceConfig&) {}));
        QVERIFY(refuses([](NamespaceConfig& one) { one.failures = 0; }));
        QVERIFY(refuses([](NamespaceConfig& one) { one.successes = 0; }));
        QVERIFY(refuses([](NamespaceConfig& one) { one.healthEvery = Nanos(0); }));
        QVERIFY(refuses([](NamespaceConfig& one) { one.healthTimeout = Nanos(0); }));
        QVERIFY(NamespaceConfig().options.token); // what tells one engine's holders from the next one's
    }

    void naiveRecipesAreTakenWhenAllowed() {
        const auto config =
            readManagerConfig(configText("drain", ", 'allow-naive': true").replace("redis-reentrant", "redis-set-del"));
        QVERIFY2(config.has_value(), qPrintable(config ? QString() : config.error()));
    }

    void twoServersAreTooFewForSwitchingByThemselves() {
        ManagerConfig config = readManagerConfig(configText("drain")).value();
        config.namespaces[0].engines.pop_back();
        VirtualScheduler scheduler;
        VirtualRuntime runtime(scheduler, 1);
        PretendBackends backends;
        const auto connect = [&](Runtime& made, ConnectionUrl url, QByteArray client) {
            return std::make_unique<PretendConnection>(made, backends, std::move(url), client);
        };
        const auto refused = LockManager::make(runtime, config, connect, "A");
        QVERIFY(!refused && refused.error().contains(QStringLiteral("witness")));
        config.namespaces[0].witnesses.push_back(parseConnectionUrl(QStringLiteral("redis://three")).value());
        QVERIFY(LockManager::make(runtime, config, connect, "A").has_value());
    }
};

QTEST_GUILESS_MAIN(TestManagerConfig)
#include "tst_manager_config.moc"
