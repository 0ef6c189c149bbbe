// SPDX-License-Identifier: Apache-2.0
#include "inspect/redis/client_names.h"
#include "pretend_redis.h"
#include "runtime/virtual_runtime.h"

#include <QTest>
#include <qcorotask.h>

using namespace lockscope;
using namespace lockscope::inspect;

namespace {

/// As Redis 7.2 answers.
constexpr char kList[] =
    "id=3 addr=10.0.0.5:51234 laddr=10.0.0.1:6379 fd=8 name=worker-7 age=4 idle=0 flags=N db=0 sub=0 psub=0 multi=-1 "
    "cmd=set user=default lib-name=redis-py lib-ver=5.0.1\n"
    "id=4 addr=10.0.0.6:40001 fd=9 name=lockscope:0dd4b2a4-5b1e-4c39-9a39-0c9f2b3d7e11 user=locks lib-name= lib-ver=\n"
    "id=5 addr=10.0.0.7:1111 fd=9 name=pool user=default\n"
    "id=6 addr=10.0.0.7:1112 fd=9 name=pool user=default\n"
    "id=7 addr=10.0.0.8:1111 fd=9 name=twice user=default\n"
    "id=8 addr=10.0.0.9:1112 fd=9 name=twice user=default\n"
    "id=9 addr=[2001:db8::5]:7000 fd=9 name= user=default\n"
    "id=10 addr=10.0.0.10:1 fd=9 name=yes user=default\n";

/// A server that can refuse to list its clients, and have very many of them.
class Listing : public tests::PretendRedis {
public:
    explicit Listing(Runtime& runtime) : m_runtime(runtime) {}
    Runtime& runtime() override { return m_runtime; }
    QCoro::Task<redis::Result> call(redis::Args args, std::stop_token /*stop*/) override {
        if (args.front() == refuses)
            co_return std::unexpected(redis::Error{redis::Error::Kind::Refused, "NOPERM", QStringLiteral("no")});
        if (args.front() == "INFO") co_return redis::Reply::bulk("connected_clients:" + QByteArray::number(count));
        co_return redis::Reply::bulk("id=1 addr=10.0.0.5:1 flags=b psub=0 cmd=blpop\n"
                                     "id=2 addr=10.0.0.6:1 flags=P psub=1 cmd=psubscribe\n");
    }

    QByteArray refuses; ///< a command's first word
    int count = 2;

private:
    Runtime& m_runtime;
};

} // namespace

/// The connections of a Redis and the identities in its locks.
class TestClientNames : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aListIsRead() {
        const std::vector<ListedClient> clients = clientsIn(kList);
        QCOMPARE(clients.size(), 8u);
        QVERIFY(clients[0] == (ListedClient{"10.0.0.5:51234", "worker-7", "default", "redis-py 5.0.1", "set"}));
        QCOMPARE(clients[1].library, QByteArray());
        QVERIFY(clientsIn({}).empty());
        QVERIFY(clientsIn("nonsense\n=\naddr=\nid=4 name=x\n").empty()); // none has an address
    }

    void anIdentityIsTiedByWhatTheClientSaysItself_data() {
        QTest::addColumn<QByteArray>("identity");
        QTest::addColumn<QByteArray>("about");
        const auto row = [](const char* what, const char* identity, const char* about) {
            QTest::newRow(what) << QByteArray(identity) << QByteArray(about);
        };
        row("its name", "worker-7", "10.0.0.5:51234, redis-py 5.0.1");
        row("Lockscope's", "0dd4b2a4-5b1e-4c39-9a39-0c9f2b3d7e11", "10.0.0.6:40001, user locks");
        row("its address", "10.0.0.5:51234", "10.0.0.5:51234, redis-py 5.0.1");
        row("a pool", "pool", "10.0.0.7");
        row("of IPv6", "[2001:db8::5]:7000", "[2001:db8::5]:7000");
        row("a name of two machines", "twice", "");
        row("too short for a name", "yes", "");
        row("part of a name", "worker", "");
        row("a random one", "9d6a39e4-27a9-4c1b-8a6e-2f1c0f3a5b77", "");
        row("none", "", "");
    }
    void anIdentityIsTiedByWhatTheClientSaysItself() {
        QFETCH(QByteArray, identity);
        QFETCH(QByteArray, about);
        QCOMPARE(ConnectionTable(clientsIn(kList)).find(identity), about);
    }

    void waitersOfAFormerListingAreForgotten_data() {
        QTest::addColumn<QByteArray>("refused");
        QTest::addColumn<int>("count");
        QTest::newRow("counting is refused") << QByteArray("INFO") << 2;
        QTest::newRow("listing is refused") << QByteArray("CLIENT") << 2;
        QTest::newRow("too many") << QByteArray() << 1001;
    }
    void waitersOfAFormerListingAreForgotten() {
        QFETCH(QByteArray, refused);
        QFETCH(int, count);
        VirtualScheduler scheduler;
        VirtualRuntime runtime(scheduler, 1);
        Listing server(runtime);
        redis::ReadingPort port(server);
        KeyReader reader(port);
        ClientNames names(reader, runtime);
        std::vector<LockRow> rows(2);
        rows[0].format = "python-redis-lock";
        rows[1].format = "spring|";
        scheduler.runUntil(10s);
        QCoro::waitFor(names.name(rows, true, 1, {}));
        using Kind = WatchNote::Kind;
        QVERIFY(names.notes() == (std::vector<WatchNote>{{Kind::BlockedClients, 1, {"10.0.0.5:1"}},
                                                         {Kind::PatternListeners, 1, {"10.0.0.6:1"}}}));
        server.refuses = refused;
        server.count = count;
        scheduler.runUntil(20s);
        QCoro::waitFor(names.name(rows, true, 1, {}));
        QVERIFY(names.notes() == (std::vector<WatchNote>{{Kind::ClientsNotListed, refused.isEmpty() ? count : 0, {}}}));
    }
};

QTEST_GUILESS_MAIN(TestClientNames)
#include "tst_client_names.moc"
