// SPDX-License-Identifier: Apache-2.0
// The documented features of each kind of server, against the connections themselves.
#include "client/connect.h"
#include "lock/manager/lock_manager.h"
#include "offers/backend_table.h"
#include "runtime/event_loop_runtime.h"

#include <QFile>
#include <QTest>

using namespace lockscope;

class TestBackendTable : public QObject {
    Q_OBJECT
    EventLoopRuntime m_runtime;

    static QString urlOf(const BackendInfo& backend, const QString& hosts) {
        const QByteArray scheme = backend.scheme, kind = backend.backend;
        const QString path = scheme == "redis+sentinel"            ? QStringLiteral("/mymaster")
                             : kind == "sql" && scheme != "sqlite" ? QStringLiteral("/locks")
                             : scheme == "sqlite"                  ? QStringLiteral("/tmp/locks.db")
                                                                   : QString();
        return QLatin1String(scheme) + QStringLiteral("://") + (scheme == "sqlite" ? QString() : hosts) + path;
    }

private Q_SLOTS:
    void eachIsAsItIsSaid_data() {
        QTest::addColumn<int>("place");
        for (int i = 0; i < int(allBackends().size()); ++i)
            QTest::newRow(allBackends()[std::size_t(i)].scheme) << i;
    }
    void eachIsAsItIsSaid() {
        QFETCH(int, place);
        const BackendInfo& backend = allBackends()[std::size_t(place)];
        const auto url = parseConnectionUrl(urlOf(backend, QStringLiteral("h1")));
        QVERIFY2(url.has_value(), url ? "" : qPrintable(url.error()));
        const auto connection = makeConnection(m_runtime, *url); // not opened: nobody is asked
        QCOMPARE(connection->backend(), QByteArray(backend.backend));
        QCOMPARE(connection->defaultRecipe(), QByteArray(backend.defaultRecipe));
        QCOMPARE(connection->records() != nullptr, backend.records);
        for (const recipes::RecipeInfo& recipe : recipes::allRecipes()) {
            const bool made = connection->makeRecipe(recipe.id, {"orders", 1}).has_value();
            QVERIFY2(made == serves(backend, recipe), recipe.id);
        }
        const auto nameless = connection->makeRecipe(backend.defaultRecipe, {"", 1});
        QVERIFY(!nameless && nameless.error().kind == LockError::Kind::Refused);
        QCOMPARE(parseConnectionUrl(urlOf(backend, QStringLiteral("h1,h2"))).has_value(),
                 backend.several || QByteArray(backend.scheme) == "sqlite");
        const QString tls = QLatin1String(backend.tls), plain = urlOf(backend, QStringLiteral("h1"));
        if (tls.endsWith(QLatin1String("://")))
            QVERIFY(parseConnectionUrl(tls + plain.section(QStringLiteral("://"), 1))->tls);
        else if (!tls.isEmpty())
            QVERIFY(parseConnectionUrl(plain + tls)->tls);
        else
            QVERIFY(!parseConnectionUrl(plain + QStringLiteral("?tls=on")));
    }

    /// Not only after the switch to it.
    void aManagerRefusesAnEngineThatHasNoSuchRecipe() {
        NamespaceConfig shop;
        shop.name = "shop";
        shop.engines = {{*parseConnectionUrl(QStringLiteral("redis://h1")), "redis-fenced"},
                        {*parseConnectionUrl(QStringLiteral("zookeeper://h2")), "zk-mutex"}};
        QVERIFY(LockManager::make(m_runtime, {{shop}}, makeConnection));
        shop.engines.back().recipe = "sql-lease";
        const auto refused = LockManager::make(m_runtime, {{shop}}, makeConnection);
        QVERIFY(!refused);
        QVERIFY2(refused.error().contains(QStringLiteral("zookeeper://h2:2181: there is no recipe “sql-lease”")),
                 qPrintable(refused.error()));
    }

    void everyRecipeIsServedSomewhere() {
        for (const recipes::RecipeInfo& recipe : recipes::allRecipes()) {
            QVERIFY2(std::ranges::any_of(allBackends(), [&](const auto& backend) { return serves(backend, recipe); }),
                     recipe.id);
        }
    }

    /// To bring it up to date: lockscope list recipes --markdown
    void theDocumentSaysWhatTheCodeDoes() {
        QFile file(QStringLiteral(LOCKSCOPE_SOURCE_DIR "/core/offers/README.md"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QString text = QString::fromUtf8(file.readAll());
        const QString begin = QStringLiteral("<!-- backends -->\n"), end = QStringLiteral("<!-- /backends -->");
        const qsizetype from = text.indexOf(begin), to = text.indexOf(end);
        QVERIFY2(from >= 0 && to > from, "core/offers/README.md has lost the place for the table of backends");
        QCOMPARE(text.mid(from + begin.size(), to - from - begin.size()), backendTable());
        // Every "no" has its number.
        QVERIFY(!backendTable().contains(QStringLiteral(" no |")));
    }
};

QTEST_GUILESS_MAIN(TestBackendTable)
#include "tst_backend_table.moc"
