// SPDX-License-Identifier: Apache-2.0
#include "client/connect.h"
#include "connections/memcached/ring_port.h"
#include "drivers/dial.h"
#include "live_memcached.h"
#include "lock/distributed_lock.h"

#include <QDateTime>
#include <QTimer>

using namespace lockscope;
using namespace lockscope::memcached;
using namespace lockscope::test;
using sandbox::MemcachedServer;
using Kind = Error::Kind;
using ErrorKind = LockError::Kind;

namespace {

/// Keeps what a lock tells about itself.
struct Story {
    QStringList lost;
    int renewed = 0;
    DistributedLock::Listener listener() {
        return [this](DistributedLock::Event event, const QByteArray&, const QString& reason) {
            if (event == DistributedLock::Event::Lost) lost += reason;
            if (event == DistributedLock::Event::Renewed) ++renewed;
        };
    }
};

LockOptions quick() {
    LockOptions options;
    options.lease = 3s;
    options.watchdog = 100ms;
    return options;
}

} // namespace

class TestMemcachedFaults : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { VERIFY_STARTED(m_server); }
    void cleanup() {
        m_server.resume();
        if (!m_server.running()) VERIFY_STARTED(m_server);
    }

    void aServerThatIsDownHasItsOwnLocksOnly() {
        ConnectionUrl url = urlOf(m_server);
        Endpoint down = url.endpoints.front();
        down.port = sandbox::freePort(m_runtime).value();
        url.endpoints.insert(url.endpoints.begin(), down);
        const auto connection = makeConnection(m_runtime, url);
        VERIFY_OK(run(connection->open()));
        QVERIFY(!run(connection->ping())); // not all locks could be granted
        const RingPort ring(m_runtime, realDiallers().memcached, url);
        int granted = 0, refused = 0;
        for (int i = 0; i < 40; ++i) {
            const QByteArray name = "spread" + QByteArray::number(i);
            DistributedLock lock({m_runtime, connection->client()}, *connection->makeRecipe("memcached-lease", {name}),
                                 quick());
            const auto taken = run(lock.tryLock());
            QCOMPARE(taken.has_value(), ring.whereIs(name) != down.display());
            if (taken) {
                QVERIFY(*taken);
                VERIFY_OK(run(lock.unlock()));
            } else {
                QVERIFY(taken.error().kind == ErrorKind::Unreachable);
                QVERIFY2(taken.error().message.contains(down.display()), qPrintable(taken.error().message));
            }
            ++(taken ? granted : refused);
        }
        QVERIFY(granted > 0 && refused > 0);
    }
    void noneOfSeveralServersAnswers() {
        ConnectionUrl url = urlOf(m_server);
        url.endpoints.front().port = sandbox::freePort(m_runtime).value();
        url.endpoints.push_back(url.endpoints.front());
        url.endpoints.back().port = sandbox::freePort(m_runtime).value();
        const auto connection = makeConnection(m_runtime, url);
        const auto opened = run(connection->open());
        QVERIFY(!opened);
        QVERIFY2(opened.error().kind == ErrorKind::Unreachable, qPrintable(opened.error().message));
    }
    void aServerThatHangsKeepsNobodyWaiting() {
        MemcachedServer other(m_runtime);
        VERIFY_STARTED(other);
        ConnectionUrl url = urlOf(m_server);
        url.endpoints.push_back(urlOf(other).endpoints.front());
        m_server.pause();
        const auto begun = std::chrono::steady_clock::now();
        const auto connection = makeConnection(m_runtime, url);
        VERIFY_OK(run(connection->open()));
        QVERIFY(std::chrono::steady_clock::now() - begun < 1900ms); // connecting may take 2 s
    }

    void restartLosesTheLockAndItsHolderIsTold() {
        const auto connection = makeConnection(m_runtime, urlOf(m_server));
        QVERIFY(run(connection->open()));
        DistributedLock lock({m_runtime, connection->client()}, *connection->makeRecipe("memcached-lease", {"jobs"}),
                             quick());
        Story story;
        lock.listen(story.listener());
        QVERIFY(run(lock.lock()).value());
        QTRY_VERIFY(story.renewed > 0);
        run(m_server.stop());
        VERIFY_STARTED(m_server);
        QTRY_COMPARE(story.lost.size(), 1);
        QVERIFY(!lock.stillMine());
        QVERIFY(run(lock.unlock()).error().kind == ErrorKind::NotOwner);
        QVERIFY(run(lock.tryLock()).value()); // the connection is back
        QVERIFY(run(lock.unlock()));
    }
    void numbersOfTheServersLastRunAreNone() {
        // A server that was started again counts its items anew: the first one's number comes again.
        MemcachedServer server(m_runtime);
        VERIFY_STARTED(server);
        MemcachedClient one(m_runtime, urlOf(server)), other(m_runtime, urlOf(server));
        const auto ours = one.recipe("jobs"), theirs = other.recipe("jobs");
        const auto first = run(ours->acquire(asked(0s), {})).value();
        QVERIFY(first);
        const std::uint64_t number = run(one.driver.get("jobs")).value()->mark.unique;
        const qint64 began = QDateTime::currentSecsSinceEpoch(); // runs are told apart by the second of their beginning
        run(server.stop());
        QVERIFY(comesTrue([&] { return QDateTime::currentSecsSinceEpoch() > began; }));
        VERIFY_STARTED(server);
        const auto second = run(theirs->acquire(asked(0s), {})).value();
        QVERIFY(second);
        QCOMPARE(run(other.driver.get("jobs")).value()->mark.unique, number);
        QVERIFY2(second->token > first->token, "a resource that checks tokens would take the first holder's writes");
        QCOMPARE(run(ours->renew(*first, {})).value(), false);
        QVERIFY(run(ours->release(*first, {})).error().kind == ErrorKind::NotOwner);
        QCOMPARE(run(other.driver.get("jobs")).value()->value, second->value);
        QCOMPARE(run(theirs->renew(*second, {})).value(), true);
        QCOMPARE(run(theirs->release(*second, {})).value(), 0);
    }
    void aProxyThatHangsUpAtUnknownQuestionsIsServed() {
        int asked = 0;
        FakeMemcached proxy(
            m_runtime,
            [&](QTcpSocket& socket, const QByteArray& bytes) {
                if (bytes.startsWith("get ")) {
                    socket.write("END\r\n");
                } else if (bytes.startsWith("version")) {
                    socket.write("VERSION 1.6.18\r\n");
                } else {
                    ++asked;
                    socket.disconnectFromHost();
                }
            },
            false);
        MemcachedClient client(m_runtime, urlOf(proxy));
        QVERIFY(run(client.driver.version()));
        QVERIFY(run(client.driver.version()));
        QCOMPARE(asked, 1);
        QCOMPARE(proxy.connections, 2);
    }
    /// Its socket is all that tells of it: the next renewal would be a minute away.
    void theHolderAsksAsSoonAsAForgetfulServerIsBack() {
        const auto connection = makeConnection(m_runtime, urlOf(m_server));
        QVERIFY(run(connection->open()));
        LockOptions slow;
        slow.lease = 180s;
        slow.watchdog = 60s;
        DistributedLock lock({m_runtime, connection->client()}, *connection->makeRecipe("memcached-lease", {"jobs"}),
                             slow);
        Story story;
        lock.listen(story.listener());
        QVERIFY(run(lock.lock()).value());
        m_server.kill();
        QTRY_VERIFY(!m_server.running());
        VERIFY_STARTED(m_server);
        QVERIFY(comesTrue([&] { return story.lost.size() == 1; }, 3s));
        QVERIFY(!lock.stillMine());
    }
    void aNewConnectionIsNoLoss() {
        // The server went on meanwhile: what was told by the old connection is looked at again, and is still ours.
        MemcachedClient client(m_runtime, urlOf(m_server), impatient());
        const auto recipe = client.recipe("jobs");
        const auto grant = run(recipe->acquire(asked(0s), {})).value();
        QVERIFY(grant);
        pause();
        QVERIFY(!run(client.driver.version())); // and with it goes the connection
        m_server.resume();
        QCOMPARE(run(recipe->renew(*grant, {})).value(), true);
        QCOMPARE(run(recipe->release(*grant, {})).value(), 0);
    }
    void serverWithoutCas() {
        sandbox::MemcachedServerOptions options;
        options.extra = QStringList{QStringLiteral("-C")};
        MemcachedServer server(m_runtime, options);
        VERIFY_STARTED(server);
        MemcachedClient client(m_runtime, urlOf(server));
        const auto refused = run(client.recipe("jobs")->acquire(asked(10s), {}));
        QVERIFY(!refused && refused.error().kind == ErrorKind::Refused);
        QVERIFY2(refused.error().message.contains(QLatin1String("-C")), qPrintable(refused.error().message));
        QVERIFY(!run(client.driver.get("jobs")).value());
        const auto naive = client.recipe("jobs", "memcached-add");
        QVERIFY(run(naive->acquire(asked(0s), {})).value());
        QCOMPARE(run(naive->forceRelease({})).value(), true);
        QVERIFY(!run(client.driver.get("jobs")).value());
        const auto connection = makeConnection(m_runtime, urlOf(server));
        QVERIFY(run(connection->records()->replace("agreed", {}, "1", {})).value());
        const auto record = run(connection->records()->read("agreed", {}));
        QVERIFY(!record && record.error().kind == ErrorKind::Refused); // nobody could replace it
    }
    void evictionLosesTheLockAndItsHolderIsTold() {
        sandbox::MemcachedServerOptions small;
        small.megabytes = 2;
        // Slabs as small as the whole memory, so that large items push out small ones of the same class.
        MemcachedServer server(m_runtime, small);
        VERIFY_STARTED(server);
        const auto connection = makeConnection(m_runtime, urlOf(server));
        MemcachedClient pusher(m_runtime, urlOf(server));
        LockOptions options = quick();
        options.lease = 20s;
        options.watchdog = 1500ms; // renewals make it recently used
        DistributedLock lock({m_runtime, connection->client()}, *connection->makeRecipe("memcached-lease", {"jobs"}),
                             options);
        Story story;
        lock.listen(story.listener());
        QVERIFY(run(lock.lock()).value());
        for (int i = 0; i < 60'000 && story.lost.isEmpty(); i += 200) {
            std::vector<QCoro::Task<std::expected<Change, Error>>> adds;
            for (int j = 0; j < 200; ++j) // as large as the lock's own item, to be of its class
                adds.push_back(pusher.driver.add("jo" + QByteArray::number(i + j).rightJustified(6, '0'),
                                                 QByteArray(50, 'x'), 0, false));
            for (auto& add : adds)
                QVERIFY(run(std::move(add)));
        }
        QVERIFY(!run(pusher.driver.get("jobs")).value().has_value());
        QTRY_COMPARE(story.lost.size(), 1);
    }
    void killedServer() {
        MemcachedClient client(m_runtime, urlOf(m_server));
        const auto recipe = client.recipe("jobs");
        const auto grant = run(recipe->acquire(asked(0s), {})).value();
        QVERIFY(grant);
        m_server.kill();
        QTRY_VERIFY(!m_server.running());
        const auto refused = run(recipe->release(*grant, {}));
        QVERIFY(!refused);
        QVERIFY(refused.error().kind == ErrorKind::Unreachable || refused.error().kind == ErrorKind::OutcomeUnknown);
        const auto none = run(recipe->acquire(asked(1s), {}));
        QVERIFY(!none && none.error().kind == ErrorKind::Unreachable);
        QVERIFY(none.error().message.contains(QString::number(m_server.port())));
        VERIFY_STARTED(m_server);
        const auto again = run(recipe->acquire(asked(0s), {})).value();
        QVERIFY(again); // by itself
        QVERIFY(run(recipe->release(*again, {})));
    }
    void pausedServer() {
        MemcachedClient client(m_runtime, urlOf(m_server), impatient());
        QVERIFY(run(client.driver.version()));
        const auto recipe = client.recipe("jobs");
        pause();
        const Nanos begun = m_runtime.monotonic();
        const auto late = run(recipe->acquire(asked(0s), {})); // one that has time waits it out
        QVERIFY(!late);
        QVERIFY2(late.error().kind == ErrorKind::OutcomeUnknown, qPrintable(late.error().message));
        QVERIFY(m_runtime.monotonic() - begun < 3s);
        m_server.resume();
        // Nobody hears the answer to the command that was sent before the pause. The item shows that it ran.
        QTRY_VERIFY(run(client.driver.version()));
        MemcachedClient other(m_runtime, urlOf(m_server));
        const auto found = run(other.driver.get("jobs"));
        QVERIFY(found);
        if (*found) QVERIFY((*found)->value.startsWith(client.uuid)); // ends by its lease
        QVERIFY(run(other.driver.remove("jobs")));
    }
    void connectionCutInTheMiddleOfAReply() {
        FakeMemcached server(m_runtime, [](QTcpSocket& socket, const QByteArray&) {
            socket.write("STORED\r\nVALUE jobs 0 40 7\r\nhalf");
            socket.disconnectFromHost();
        });
        MemcachedClient client(m_runtime, urlOf(server));
        const auto cut = run(client.driver.add("jobs", "v", 60, true));
        QVERIFY(!cut && cut.error().kind == Kind::Disconnected && cut.error().outcomeUnknown());
        const auto recipe = client.recipe("jobs");
        QVERIFY(run(recipe->acquire(asked(0s), {})).error().kind == ErrorKind::OutcomeUnknown);
        QVERIFY(server.connections >= 2);
    }
    void replyByteByByte() {
        FakeMemcached server(m_runtime, [](QTcpSocket& socket, const QByteArray&) {
            const QByteArray reply("NOT_STORED\r\nVALUE jobs 0 5 42\r\na\r\nEN\r\nEND\r\n");
            auto* timer = new QTimer(&socket);
            auto at = std::make_shared<int>(0);
            connect(timer, &QTimer::timeout, &socket, [timer, at, reply, &socket] {
                socket.write(reply.mid((*at)++, 1));
                socket.flush();
                if (*at == reply.size()) timer->deleteLater();
            });
            timer->start(0);
        });
        MemcachedClient client(m_runtime, urlOf(server));
        const auto change = run(client.driver.add("jobs", "v", 60, true));
        QVERIFY(change.has_value());
        QVERIFY(change->outcome == Change::Outcome::Taken);
        QCOMPARE(change->item->value, QByteArray("a\r\nEN"));
        QCOMPARE(change->item->mark.unique, 42U);
    }
    void garbage_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::newRow("http") << QByteArray("HTTP/1.1 400 Bad Request\r\n\r\n");
        QTest::newRow("binary") << QByteArray("\x16\x03\x01\x02\x00\r\n", 7);
        QTest::newRow("bad length") << QByteArray("VALUE k 0 x 1\r\n");
        QTest::newRow("negative length") << QByteArray("VALUE k 0 -5 1\r\n");
        QTest::newRow("enormous") << QByteArray("VALUE k 0 99999999999 1\r\n");
        QTest::newRow("too short a count") << QByteArray("VALUE k 0 1 1\r\nabc\r\nEND\r\n");
        QTest::newRow("bad unique") << QByteArray("VALUE k 0 1 z\r\na\r\nEND\r\n");
        QTest::newRow("no line") << QByteArray(5000, 'x');
    }
    void garbage() {
        QFETCH(QByteArray, bytes);
        for (const bool greets : {true, false}) {
            FakeMemcached server(
                m_runtime, [bytes](QTcpSocket& socket, const QByteArray&) { socket.write(bytes); }, greets);
            MemcachedClient client(m_runtime, urlOf(server));
            const auto result = run(client.driver.get("k"));
            QVERIFY(!result);
            QVERIFY2(result.error().kind == Kind::Protocol, qPrintable(result.error().message));
            QCOMPARE(result.error().outcomeUnknown(), greets); // before the greeting's answer nothing is sent
            QVERIFY(!run(client.recipe("jobs")->acquire(asked(0s), {})));
        }
    }
    void serversOwnErrors() {
        FakeMemcached server(m_runtime, [](QTcpSocket& socket, const QByteArray&) {
            socket.write("SERVER_ERROR out of memory storing object\r\nEND\r\n");
        });
        MemcachedClient client(m_runtime, urlOf(server));
        const auto refused = run(client.recipe("jobs")->acquire(asked(0s), {}));
        QVERIFY(!refused && refused.error().kind == ErrorKind::Refused);
        QVERIFY(refused.error().message.contains(QLatin1String("out of memory")));
    }
    void storedAndNotSeen_data() {
        QTest::addColumn<QByteArray>("answer");
        QTest::addColumn<bool>("told");
        QTest::newRow("no memory") << QByteArray("STORED\r\nSERVER_ERROR out of memory writing get response\r\n")
                                   << false;
        QTest::newRow("garbage") << QByteArray("STOR\r\n") << true;
    }
    void storedAndNotSeen() {
        // It was stored, and that was not to be seen or not to be understood: it is taken back.
        QFETCH(QByteArray, answer);
        QFETCH(bool, told);
        QByteArray value, back;
        FakeMemcached server(m_runtime, [&](QTcpSocket& socket, const QByteArray& bytes) {
            const QList<QByteArray> lines = bytes.split('\n');
            if (bytes.startsWith("add ")) {
                value = lines.at(1).trimmed();
                socket.write(answer);
            } else if (bytes.startsWith("gets ")) {
                socket.write("VALUE jobs 0 " + QByteArray::number(value.size()) + " 42\r\n" + value + "\r\nEND\r\n");
            } else {
                back = lines.front().trimmed();
                socket.write("STORED\r\n");
            }
        });
        MemcachedClient client(m_runtime, urlOf(server));
        const auto none = run(client.recipe("jobs")->acquire(asked(0s), {}));
        QCOMPARE(none.has_value(), !told);
        if (told)
            QVERIFY(none.error().kind == ErrorKind::OutcomeUnknown);
        else
            QVERIFY(!*none);
        QVERIFY2(back.startsWith("cas jobs 0 -1 ") && back.endsWith(" 42"), back.constData());
    }
    void whatIsLeftBehindIsUndoneByTheNextTry() {
        // Neither the add nor its undoing was answered: whoever asks again must not wait behind what he left himself.
        QByteArray left, value;
        bool away = false;
        FakeMemcached server(m_runtime, [&](QTcpSocket& socket, const QByteArray& bytes) {
            const QList<QByteArray> lines = bytes.split('\n');
            if (bytes.startsWith("add ") && left.isEmpty()) {
                left = value = lines.at(1).trimmed();
                away = true;
            }
            if (away) {
                socket.disconnectFromHost();
                return;
            }
            const bool stored = bytes.startsWith("add ") && value.isEmpty();
            if (stored) value = lines.at(1).trimmed();
            if (bytes.startsWith("add ")) socket.write(stored ? "STORED\r\n" : "NOT_STORED\r\n");
            if (bytes.startsWith("cas jobs 0 -1 ")) {
                value.clear();
                socket.write("STORED\r\n");
            } else {
                const QByteArray number = value == left ? "42" : "43";
                const QByteArray size = QByteArray::number(value.size());
                socket.write(value.isEmpty() ? "END\r\n"
                                             : "VALUE jobs 0 " + size + ' ' + number + "\r\n" + value + "\r\nEND\r\n");
            }
        });
        MemcachedClient client(m_runtime, urlOf(server), impatient());
        const auto recipe = client.recipe("jobs");
        QVERIFY(run(recipe->acquire(asked(0s), {})).error().kind == ErrorKind::OutcomeUnknown);
        QVERIFY(!left.isEmpty() && value == left);
        away = false;
        const auto next = run(recipe->acquire(asked(0s), {}));
        QVERIFY2(next && *next, next ? "it waits behind itself" : qPrintable(next.error().message));
        QVERIFY((*next)->value == value && value != left);
    }
    /// Its list takes longer than a command may, and ends half a time-out before the next answer.
    void whatWaitsBehindAListHasItsOwnTime_data() {
        QTest::addColumn<bool>("wanted");
        QTest::newRow("list is wanted") << true;
        QTest::newRow("nobody wants the list any more") << false;
    }
    void whatWaitsBehindAListHasItsOwnTime() {
        QFETCH(bool, wanted);
        FakeMemcached server(m_runtime, [](QTcpSocket& socket, const QByteArray& bytes) {
            const auto later = [&socket](int after, const char* answer) {
                QTimer::singleShot(after, &socket, [&socket, answer] { socket.write(answer); });
            };
            if (bytes.startsWith("lru_crawler")) {
                later(900, "key=jobs exp=-1 la=1 cas=1 fetch=no cls=1 size=63\n");
                later(1500, "END\r\n");
            } else {
                later(600, "END\r\n");
            }
        });
        DriverOptions options;
        options.commandTimeout = 1s;
        MemcachedClient client(m_runtime, urlOf(server), options);
        std::stop_source stop;
        auto list = beside(client.driver.list([](const QByteArray&, std::uint64_t) { return true; }, stop.get_token()));
        auto behind = beside(client.driver.get("jobs"));
        if (!wanted) stop.request_stop();
        QTRY_VERIFY(behind->done);
        QVERIFY2(behind->result && *behind->result, "it waited for the list, and was then given no time of its own");
        QCOMPARE(server.connections, 1);
        QVERIFY(list->done);
        QCOMPARE(list->result.has_value(), wanted);
        if (wanted) QCOMPARE((*list->result)->keys.size(), std::size_t(1));
    }
    /// A server that stopped listing keeps nobody behind the list for ever.
    void aListThatDoesNotEndKeepsNobodyWaiting_data() { whatWaitsBehindAListHasItsOwnTime_data(); }
    void aListThatDoesNotEndKeepsNobodyWaiting() {
        QFETCH(bool, wanted);
        FakeMemcached silent(m_runtime, [](QTcpSocket&, const QByteArray&) {});
        MemcachedClient client(m_runtime, urlOf(silent), impatient());
        std::stop_source stop;
        auto list = beside(client.driver.list([](const QByteArray&, std::uint64_t) { return true; }, stop.get_token()));
        auto behind = beside(client.driver.get("jobs"));
        if (!wanted) stop.request_stop();
        QTRY_VERIFY(behind->done);
        QVERIFY(behind->result && !*behind->result);
    }
    void slowReplyAndSilence() {
        FakeMemcached slow(m_runtime, [](QTcpSocket& socket, const QByteArray&) {
            QTimer::singleShot(100, &socket, [&socket] { socket.write("VERSION 1.6.18\r\n"); });
        });
        MemcachedClient patient(m_runtime, urlOf(slow), impatient());
        QVERIFY(run(patient.driver.version()));
        FakeMemcached silent(m_runtime, [](QTcpSocket&, const QByteArray&) {});
        MemcachedClient client(m_runtime, urlOf(silent), impatient());
        auto other = beside(client.driver.get("k"));
        QVERIFY(run(client.driver.version()).error().outcomeUnknown());
        QTRY_VERIFY(other->done);
        QVERIFY(other->result->error().kind == Kind::CommandTimeout); // the first; then the connection is given up
    }
    void lostReleaseIsNoLie() {
        // The release runs, its answer is lost: the caller hears that it is not known, and the lock is free.
        MemcachedClient client(m_runtime, urlOf(m_server), impatient());
        const auto recipe = client.recipe("jobs");
        const auto grant = run(recipe->acquire(asked(0s), {})).value();
        pause();
        const auto unknown = run(recipe->release(*grant, {}));
        QVERIFY(!unknown && unknown.error().kind == ErrorKind::OutcomeUnknown);
        m_server.resume();
        MemcachedClient other(m_runtime, urlOf(m_server));
        QTRY_VERIFY(!run(other.driver.get("jobs")).value_or(std::nullopt));
        const auto again = run(recipe->release(*grant, {}));
        QVERIFY(!again && again.error().kind == ErrorKind::NotOwner);
    }
    void driverThatGoesAwayEndsItsCalls() {
        auto client = std::make_unique<MemcachedClient>(m_runtime, urlOf(m_server));
        QVERIFY(run(client->driver.version()));
        pause();
        auto call = client->driver.get("k");
        auto more = client->driver.add("k", "v", 60, true);
        client.reset();
        QVERIFY(run(std::move(call)).error().kind == Kind::Disconnected);
        QVERIFY(run(std::move(more)).error().kind == Kind::Disconnected);
    }

private:
    void pause() {
        m_server.pause();
        run(m_runtime.sleep(20ms)); // until all its threads stand still
    }
    EventLoopRuntime m_runtime;
    MemcachedServer m_server{m_runtime};
};

QTEST_GUILESS_MAIN(TestMemcachedFaults)
#include "tst_memcached_faults.moc"
