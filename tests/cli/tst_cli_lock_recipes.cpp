// SPDX-License-Identifier: GPL-3.0-or-later
#include "program.h"

#include "recipes/recipe.h"
#include "runtime/event_loop_runtime.h"
#include "sandbox/etcd_server.h"
#include "sandbox/mariadb_server.h"
#include "sandbox/memcached_server.h"
#include "sandbox/postgres_server.h"
#include "sandbox/redis_cluster.h"
#include "sandbox/redis_masters.h"
#include "sandbox/redis_sentinel.h"
#include "sandbox/zookeeper_server.h"

#include <QTemporaryDir>
#include <qcoro/qcorotask.h>

using namespace lockscope;
using namespace lockscope::tests;
using recipes::HeldBy;
using recipes::Mode;
using recipes::RecipeInfo;

namespace {

/// A kind of URL, and which recipes of its backend work there; the others are refused there.
struct UrlKind {
    QByteArray name, backend;
    bool (*takes)(const RecipeInfo& recipe, Mode mode);
};
bool all(const RecipeInfo&, Mode) {
    return true;
}
bool onOneRedis(const RecipeInfo& recipe, Mode) {
    return recipe.id != "redis-redlock";
}
bool onSeveralRedis(const RecipeInfo& recipe, Mode) {
    return recipe.id == "redis-redlock";
}
/// GET_LOCK knows no readers.
bool onMariaDb(const RecipeInfo&, Mode mode) {
    return mode != Mode::Shared;
}
/// A file has no connections that the other side could count on.
bool inAFile(const RecipeInfo& recipe, Mode) {
    return recipe.heldBy != HeldBy::Connection;
}
const UrlKind kUrls[] = {
    {"redis", "redis", &onOneRedis},
    {"rediss", "redis", &onOneRedis},
    {"redis+sentinel", "redis", &onOneRedis},
    {"redis+cluster", "redis", &onOneRedis},
    {"redlock", "redis", &onSeveralRedis},
    {"zookeeper", "zookeeper", &all},
    {"mysql", "sql", &onMariaDb},
    {"postgresql", "sql", &all},
    {"sqlite", "sql", &inAFile},
    {"memcached", "memcached", &all},
    {"etcd", "etcd", &all},
};

std::vector<Mode> modesOf(const RecipeInfo& recipe) {
    std::vector<Mode> modes;
    if (recipe.exclusive) modes.push_back(Mode::Exclusive);
    if (recipe.shared) modes.push_back(Mode::Shared);
    if (recipe.permits) modes.push_back(Mode::Permit);
    return modes;
}

QStringList optionsFor(Mode mode) {
    if (mode == Mode::Shared) return {QStringLiteral("--shared")};
    if (mode == Mode::Permit) return {QStringLiteral("--permits"), QStringLiteral("1")};
    return {};
}

/// Optimistic: it keeps nobody out, and who ends first wins.
bool keepsOut(const RecipeInfo& recipe) {
    return recipe.id != "sql-version";
}

/// As if this test ran under a lock itself: nothing of that may come through.
QProcessEnvironment environment() {
    QProcessEnvironment all = plainEnvironment();
    all.insert(QStringLiteral("LOCKSCOPE_LOCK"), QStringLiteral("ours"));
    all.insert(QStringLiteral("LOCKSCOPE_TOKEN"), QStringLiteral("ours"));
    return all;
}

} // namespace

/// `lockscope lock` with every recipe of the table, over every URL that there is for it.
class tst_cli_lock_recipes : public QObject {
    Q_OBJECT
    EventLoopRuntime m_runtime;
    std::vector<std::shared_ptr<void>> m_servers;
    QTemporaryDir m_files;
    std::map<QByteArray, QString> m_urls;
    int m_last = 0;

    /// A server that is on its way up. `name`: of its kind of URL.
    template <typename Server>
    QCoro::Task<QString> up(QByteArray name, std::shared_ptr<Server> server) {
        const std::expected<void, QString> started = co_await server->start();
        m_urls[name] = server->url();
        co_return started ? QString() : started.error();
    }
    template <typename Server, typename... Options>
    QCoro::Task<QString> start(const char* name, Options... options) {
        const auto server = std::make_shared<Server>(m_runtime, options...);
        m_servers.push_back(server);
        return up<Server>(name, server);
    }

    /// The words of a run that asks `script` of a shell.
    static QStringList words(const QString& url, const QStringList& options, const QString& lock, const char* script) {
        return QStringList{QStringLiteral("lock")} + options +
               QStringList{
                   url, lock, QStringLiteral("--"), QStringLiteral("sh"), QStringLiteral("-c"), QLatin1String(script),
               };
    }
    /// One try. A machine that is too busy to connect within a second is given another one.
    static Ran tryOnce(const QStringList& words) {
        Ran ran;
        for (int tries = 0; tries < 5; ++tries) {
            ran = runProgram(kProgram, words, {}, environment());
            if (ran.status != 125 || !ran.err.contains("could not be reached")) break;
        }
        return ran;
    }

private Q_SLOTS:
    void initTestCase() {
        sandbox::RedisServerOptions tls;
        tls.tls = true;
        std::vector<QCoro::Task<QString>> starts;
        starts.push_back(start<sandbox::RedisServer>("redis"));
        starts.push_back(start<sandbox::RedisServer>("rediss", tls));
        starts.push_back(start<sandbox::RedisSentinels>("redis+sentinel"));
        starts.push_back(start<sandbox::RedisCluster>("redis+cluster"));
        starts.push_back(start<sandbox::RedisMasters>("redlock", 3));
        starts.push_back(start<sandbox::ZooKeeperServer>("zookeeper"));
        starts.push_back(start<sandbox::MariaDbServer>("mysql"));
        starts.push_back(start<sandbox::PostgresServer>("postgresql"));
        starts.push_back(start<sandbox::MemcachedServer>("memcached"));
        starts.push_back(start<sandbox::EtcdServer>("etcd"));
        for (auto& one : starts) {
            const QString error = QCoro::waitFor(std::move(one));
            QVERIFY2(error.isEmpty(), qPrintable(error));
        }
        m_urls["sqlite"] = QStringLiteral("sqlite://") + m_files.filePath(QStringLiteral("locks.sqlite"));
        for (const auto& [name, url] : m_urls)
            QVERIFY2(url.startsWith(QString::fromLatin1(name + "://")), name.constData());
    }
    void cleanupTestCase() { m_servers.clear(); }

    void everyRecipeHasAUrl() {
        for (const RecipeInfo& recipe : recipes::allRecipes()) {
            for (const Mode mode : modesOf(recipe)) {
                const auto takes = [&](const UrlKind& kind) {
                    return kind.backend == recipe.backend && kind.takes(recipe, mode);
                };
                QVERIFY2(std::ranges::any_of(kUrls, takes), recipe.id.constData());
            }
        }
    }

    void aCommandRunsUnderIt_data() {
        QTest::addColumn<QByteArray>("id");
        QTest::addColumn<int>("mode");
        QTest::addColumn<int>("kind");
        for (int kind = 0; kind < int(std::size(kUrls)); ++kind) {
            for (const RecipeInfo& recipe : recipes::allRecipes()) {
                if (recipe.backend != kUrls[kind].backend) continue;
                for (const Mode mode : modesOf(recipe)) {
                    QTest::addRow("%s %s %s", kUrls[kind].name.constData(), recipe.id.constData(),
                                  qPrintable(optionsFor(mode).value(0)))
                        << recipe.id << int(mode) << kind;
                }
            }
        }
    }
    void aCommandRunsUnderIt() {
        QFETCH(QByteArray, id);
        QFETCH(int, mode);
        QFETCH(int, kind);
        const RecipeInfo& recipe = *recipes::findRecipe(id);
        const QString url = m_urls.at(kUrls[kind].name);
        const QStringList by{QStringLiteral("--recipe"), QString::fromLatin1(id)}, its = by + optionsFor(Mode(mode));
        const QStringList patient{QStringLiteral("--wait"), QStringLiteral("20s")};
        QString lock = QStringLiteral("lock-%1").arg(++m_last);
        if (id == "redis-multi") lock += QStringLiteral(",other-%1").arg(m_last);
        if (!kUrls[kind].takes(recipe, Mode(mode))) {
            const Ran refused = tryOnce(words(url, its + patient, lock, "echo ran"));
            QVERIFY2(refused.status == 125 && refused.out.isEmpty() && !refused.err.isEmpty(), refused.told());
            return;
        }

        QProcess holder;
        const auto end = qScopeGuard([&] {
            holder.kill();
            holder.waitForFinished();
        });
        holder.setProcessEnvironment(environment());
        holder.start(kProgram, words(url, its + patient, lock,
                                     "echo \"$LOCKSCOPE_LOCK ${LOCKSCOPE_TOKEN-none}\"; read go; exit 7"));
        const bool runs =
            QTest::qWaitFor([&] { return holder.canReadLine() || holder.state() == QProcess::NotRunning; }, 30'000);
        const QByteArrayList seen = holder.readLine().trimmed().split(' ');
        QByteArray said = holder.readAllStandardError();
        QVERIFY2(runs && seen.size() == 2, said);
        QCOMPARE(seen[0], lock.toUtf8());
        if (recipe.token)
            QVERIFY2(seen[1].toLongLong() > 0, seen[1]);
        else // and none of ours
            QCOMPARE(seen[1], QByteArray("none"));

        const Mode against = Mode(mode) == Mode::Permit ? Mode::Permit : Mode::Exclusive;
        const QStringList once{QStringLiteral("--wait"), QStringLiteral("0s")};
        const Ran rival = tryOnce(words(url, by + optionsFor(against) + once, lock, "echo ran; exit 5"));
        const bool ran = !keepsOut(recipe); // and then it was the first to end, so that the holder has lost
        QVERIFY2(rival.status == (ran ? 5 : 124) && rival.out == (ran ? "ran\n" : ""), rival.told());

        holder.closeWriteChannel();
        QVERIFY(QTest::qWaitFor([&] { return holder.state() == QProcess::NotRunning; }, 30'000));
        said += holder.readAllStandardError();
        QVERIFY2(holder.exitStatus() == QProcess::NormalExit && holder.exitCode() == (ran ? 123 : 7), said);
        QVERIFY2(said.contains("lost while it ran") == ran, said);
        QVERIFY2(said.contains("is unsafe") == recipe.naive, said);
        QVERIFY2(ran || recipe.naive || said.isEmpty(), said);

        const Ran next = tryOnce(words(url, its + patient, lock, "exit 0"));
        QVERIFY2(next.status == 0, next.told());
    }
};

QTEST_GUILESS_MAIN(tst_cli_lock_recipes)
#include "tst_cli_lock_recipes.moc"
