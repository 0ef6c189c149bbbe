// SPDX-License-Identifier: Apache-2.0
#include "live_etcd.h"

#include <QProcess>

using namespace lockscope;
using namespace lockscope::etcd;
using namespace lockscope::test;
using sandbox::EtcdServer;
using sandbox::EtcdServerOptions;
using Kind = Error::Kind;

class TestEtcdDriver : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { VERIFY_STARTED(m_server); }

    void leases() {
        EtcdDriver driver(m_runtime, urlOf(m_server));
        const std::int64_t id = 0x0123456789abcdef;
        const auto granted = run(driver.grantLease(id, 30s));
        QVERIFY2(granted, granted ? "" : qPrintable(granted.error().message));
        QCOMPARE(granted->id, id);
        QVERIFY(granted->granted == 30s);
        // After a lost answer, a client sends the same request once more.
        QCOMPARE(run(driver.grantLease(id, 30s)).value().id, id);
        QVERIFY(run(driver.put("leased", "v", id)));
        const auto state = run(driver.timeToLive(id));
        QVERIFY(state.has_value());
        QVERIFY(state->ttl > 25s && state->granted == 30s);
        QCOMPARE(state->keys, std::vector<QByteArray>{"leased"});
        QVERIFY(run(driver.keepAlive(id)).value().ttl == 30s);
        QCOMPARE(run(driver.revokeLease(id)).value(), true);
        QCOMPARE(run(driver.revokeLease(id)).value(), false);
        QVERIFY(run(driver.keepAlive(id)).value().ttl == Nanos(0));
        QVERIFY(run(driver.timeToLive(id)).value().ttl == Nanos(0));
        QVERIFY(keysUnder(driver, "leased").empty());
        QVERIFY(run(driver.put("k", "v", id)).error().kind == Kind::LeaseNotFound);
    }
    void keysAndTransactions() {
        EtcdDriver driver(m_runtime, urlOf(m_server));
        const QByteArray odd("q/\0\xff\n\"", 6); // any bytes are a key, any are a value
        QVERIFY(run(driver.put(odd, odd, 0)));
        Range one;
        one.key = odd;
        QCOMPARE(run(driver.range(one)).value().keys.at(0).value, odd);
        const auto first = run(driver.put("q/b", "1", 0)).value();
        const auto second = run(driver.put("q/a", "2", 0)).value();
        QVERIFY(second > first);
        Range newest;
        newest.key = "q/";
        newest.end = endOfPrefix("q/");
        newest.order = Range::Order::NewestFirst;
        newest.limit = 1;
        QCOMPARE(run(driver.range(newest)).value().keys.at(0).key, QByteArray("q/a"));
        QCOMPARE(run(driver.range(newest)).value().count, 3);
        newest.maxCreateRevision = first;
        QCOMPARE(run(driver.range(newest)).value().keys.at(0).key, QByteArray("q/b"));

        Transaction transaction;
        transaction.ifAll = {{"q/b", first}, {"q/none", 0}};
        transaction.then = {Operation::remove("q/b"), Operation::put("q/c", "3", 0)};
        transaction.otherwise = {Operation::read(one.key == odd ? one : Range())};
        const auto done = run(driver.run(transaction));
        QVERIFY(done.has_value());
        QVERIFY(done->succeeded && !done->repeated);
        QCOMPARE(done->results.at(0).count, 1);
        const auto again = run(driver.run(transaction));
        QVERIFY(!again->succeeded);
        QCOMPARE(again->results.at(0).keys.at(0).key, odd);
        QCOMPARE(run(driver.deleteRange("q/", endOfPrefix("q/"))).value(), 3);
    }
    void watchesSeeWhatHappensFromNowOn() {
        EtcdDriver driver(m_runtime, urlOf(m_server));
        QVERIFY(run(driver.put("w", "before", 0)));
        auto all = run(driver.watch("w", false));
        auto deletions = run(driver.watch("w", true));
        QVERIFY(all && deletions);
        QVERIFY(run(driver.put("w", "now", 0)));
        QVERIFY(run(driver.deleteRange("w", {})));
        const auto seen = run((*all)->next(5s));
        QVERIFY(seen.has_value());
        QVERIFY(seen->kind == WatchEvent::Kind::Put);
        QCOMPARE(seen->key.value, QByteArray("now"));
        QVERIFY(run((*all)->next(5s)).value().kind == WatchEvent::Kind::Deleted);
        QVERIFY(run((*deletions)->next(5s)).value().kind == WatchEvent::Kind::Deleted);
        QVERIFY(!run((*deletions)->next(20ms)));
    }
    void manyCallsAtOnceShareConnections() {
        EtcdDriver driver(m_runtime, urlOf(m_server));
        std::vector<QCoro::Task<std::expected<std::int64_t, Error>>> calls;
        for (int i = 0; i < 200; ++i)
            calls.push_back(driver.put("many/" + QByteArray::number(i), "x", 0));
        for (auto& call : calls)
            QVERIFY(run(std::move(call)));
        QCOMPARE(run(driver.deleteRange("many/", endOfPrefix("many/"))).value(), 200);
    }
    void nobodyThere() {
        ConnectionUrl url = urlOf(m_server);
        url.endpoints[0].port = sandbox::freePort(m_runtime).value();
        EtcdDriver driver(m_runtime, url);
        const auto opened = run(driver.open());
        QVERIFY(opened.error().kind == Kind::Unreachable);
        QVERIFY(!opened.error().outcomeUnknown());
        QVERIFY(opened.error().message.contains(url.endpoints[0].display()));
        QVERIFY(run(driver.watch("x", true)).error().kind == Kind::Unreachable);
    }
    void theNextEndpointIsAsked() {
        ConnectionUrl url = urlOf(m_server);
        url.endpoints.insert(url.endpoints.begin(), {QStringLiteral("127.0.0.1"), *sandbox::freePort(m_runtime)});
        EtcdDriver driver(m_runtime, url);
        QVERIFY(run(driver.open()));
        QCOMPARE(driver.where(), url.endpoints[1].display());
    }
    void logins() {
        EtcdServerOptions options;
        options.rootPassword = QStringLiteral("p@ss\"word");
        EtcdServer server(m_runtime, options);
        VERIFY_STARTED(server);
        EtcdDriver driver(m_runtime, urlOf(server));
        const auto opened = run(driver.open());
        QVERIFY2(opened, opened ? "" : qPrintable(opened.error().message));
        QVERIFY(run(driver.put("k", "v", 0)));
        auto watch = run(driver.watch("k", false));
        QVERIFY(watch);
        QVERIFY(run(driver.put("k", "v", 0)));
        QVERIFY(run((*watch)->next(5s)).value().kind == WatchEvent::Kind::Put);

        ConnectionUrl wrong = urlOf(server);
        wrong.password = QStringLiteral("secret-guess");
        EtcdDriver stranger(m_runtime, wrong);
        const Error refused = run(stranger.open()).error();
        QVERIFY2(refused.kind == Kind::AuthFailed, qPrintable(refused.message));
        QVERIFY(!refused.message.contains(QLatin1String("secret-guess")));
        wrong.user.clear();
        wrong.password.clear();
        EtcdDriver nobody(m_runtime, wrong);
        const Error wanted = run(nobody.put("k", "v", 0)).error();
        QVERIFY2(wanted.kind == Kind::AuthFailed, qPrintable(wanted.message));

        // A server that comes back has forgotten its tokens.
        run(server.stop());
        VERIFY_STARTED(server);
        const auto after = run(driver.put("k", "v2", 0));
        QVERIFY2(after, after ? "" : qPrintable(after.error().message));
    }
    void loginThatExpires() {
        EtcdServerOptions options;
        options.rootPassword = QStringLiteral("root");
        options.tokenSeconds = 1;
        EtcdServer server(m_runtime, options);
        VERIFY_STARTED(server);
        EtcdDriver driver(m_runtime, urlOf(server));
        const std::int64_t lease = 0x77;
        VERIFY_OK(run(driver.grantLease(lease, 60s)));
        VERIFY_OK(run(driver.put("held", "v", lease)));
        // Each use makes the token last longer, so nobody can look whether it has ended: the longer the silence, the
        // surer. That a login was made is what tells: refused, logged in, sent again.
        std::uint64_t requests = 1;
        for (Nanos silence = 2s; requests == 1 && silence < 20s; silence *= 2) {
            run(m_runtime.sleep(silence));
            const std::uint64_t before = driver.requestsSent();
            VERIFY_OK(run(driver.put("held", "v", lease)));
            requests = driver.requestsSent() - before;
        }
        QCOMPARE(requests, 3U);
        QCOMPARE(keysUnder(driver, "held").size(), 1U);

        // A wrong one is a watch's error, too.
        ConnectionUrl wrong = urlOf(server);
        wrong.password = QStringLiteral("guess-of-roots");
        EtcdDriver stranger(m_runtime, wrong);
        const auto watch = run(stranger.watch("held", true));
        QVERIFY(!watch && watch.error().kind == Kind::AuthFailed);
        QVERIFY(!watch.error().message.contains(wrong.password));
    }
    void rightsThatAreMissing() {
        EtcdServerOptions options;
        options.rootPassword = QStringLiteral("root");
        EtcdServer server(m_runtime, options);
        VERIFY_STARTED(server);
        QVERIFY(etcdctl(server, QStringLiteral("user add bob:bobs")));
        QVERIFY(etcdctl(server, QStringLiteral("role add jobs")));
        QVERIFY(etcdctl(server, QStringLiteral("role grant-permission jobs --prefix=true readwrite jobs/")));
        QVERIFY(etcdctl(server, QStringLiteral("user grant-role bob jobs")));
        ConnectionUrl url = urlOf(server);
        url.user = QStringLiteral("bob");
        url.password = QStringLiteral("bobs");
        EtcdDriver driver(m_runtime, url);
        QVERIFY(run(driver.open())); // may not read just any key, and is connected all the same
        QVERIFY(run(driver.put("jobs/1", "v", 0)));
        QVERIFY(run(driver.watch("jobs/1", true)));
        const Error denied = run(driver.put("others/1", "v", 0)).error();
        QVERIFY2(denied.kind == Kind::Denied, qPrintable(denied.message));
        const auto watch = run(driver.watch("others/1", true));
        QVERIFY(!watch);
        QVERIFY2(watch.error().kind == Kind::Denied, qPrintable(watch.error().message));
    }
    void loginWhereNoneIsWanted() {
        ConnectionUrl url = urlOf(m_server);
        url.user = QStringLiteral("root");
        url.password = QStringLiteral("x");
        EtcdDriver driver(m_runtime, url);
        QVERIFY(run(driver.open()));
    }
    void tls() {
        EtcdServerOptions options;
        options.tls = true;
        EtcdServer server(m_runtime, options);
        VERIFY_STARTED(server);
        EtcdDriver driver(m_runtime, urlOf(server));
        const auto opened = run(driver.open());
        QVERIFY2(opened, opened ? "" : qPrintable(opened.error().message));
        auto watch = run(driver.watch("k", false));
        QVERIFY(watch.has_value());
        QVERIFY(run(driver.put("k", "v", 0)));
        QVERIFY(run((*watch)->next(5s)).value().kind == WatchEvent::Kind::Put);

        ConnectionUrl bare = urlOf(server);
        bare.tlsFiles.certificate.clear();
        bare.tlsFiles.key.clear();
        EtcdDriver nameless(m_runtime, bare);
        for (const Error& error : {run(nameless.open()).error(), run(nameless.watch("k", false)).error()}) {
            QVERIFY2(error.kind == Kind::TlsFailed, qPrintable(error.message));
            QVERIFY(error.message.contains(QLatin1String("cert=")));
        }
        sandbox::Workspace elsewhere;
        const auto others = run(sandbox::TlsAuthority::make(m_runtime, elsewhere, QStringLiteral("other-")));
        QVERIFY2(others, others ? "" : qPrintable(others.error()));
        bare.tlsFiles.certificate = others->clientCertificate;
        bare.tlsFiles.key = others->clientKey;
        EtcdDriver impostor(m_runtime, bare);
        const Error unsigned_ = run(impostor.open()).error();
        QVERIFY2(unsigned_.kind == Kind::TlsFailed, qPrintable(unsigned_.message));

        ConnectionUrl unknown = urlOf(server);
        unknown.tlsFiles = {};
        EtcdDriver distrustful(m_runtime, unknown);
        const Error refused = run(distrustful.open()).error();
        QVERIFY2(refused.kind == Kind::TlsFailed, qPrintable(refused.message));
        ConnectionUrl plain = urlOf(server);
        plain.tls = false;
        EtcdDriver careless(m_runtime, plain);
        QVERIFY(!run(careless.open()));
        // The other way round: no certificate is at fault.
        ConnectionUrl secure = urlOf(m_server);
        secure.tls = true;
        EtcdDriver careful(m_runtime, secure);
        const Error mistaken = run(careful.open()).error();
        QVERIFY2(mistaken.kind == Kind::TlsFailed, qPrintable(mistaken.message));
        QVERIFY2(mistaken.message.contains(QLatin1String("write etcd:// instead of etcds://")),
                 qPrintable(mistaken.message));
    }
    void stopsAndKills() {
        EtcdDriver driver(m_runtime, urlOf(m_server));
        QVERIFY(run(driver.open()));
        m_server.pause();
        std::stop_source stop;
        auto stopped = driver.put("s", "1", 0, stop.get_token());
        stop.request_stop();
        QCOMPARE(run(howCancelled(std::move(stopped))), std::optional(Cancelled::Why::Stopped));
        auto client = std::make_unique<EventLoopRuntime>();
        {
            EtcdDriver other(*client, urlOf(m_server));
            auto killed = beside(other.put("s", "2", 0));
            client->kill();
            QVERIFY(killed->done);
            QVERIFY(killed->cancelled == Cancelled::Why::Killed);
        }
        m_server.resume();
        QVERIFY(run(driver.put("s", "3", 0)));
    }
    void driverThatGoesAwayEndsItsCalls() {
        auto driver = std::make_unique<EtcdDriver>(m_runtime, urlOf(m_server));
        auto watch = run(driver->watch("gone", true));
        QVERIFY(watch.has_value());
        m_server.pause();
        auto call = driver->put("gone", "1", 0);
        auto starting = driver->watch("gone", true);
        auto waiting = (*watch)->next(kNever);
        driver.reset();
        QVERIFY(run(std::move(call)).error().kind == Kind::Disconnected);
        QVERIFY(run(std::move(starting)).error().kind == Kind::Disconnected);
        QVERIFY(run(std::move(waiting)).value().kind == WatchEvent::Kind::Gap);
        m_server.resume();
    }

private:
    EventLoopRuntime m_runtime;
    EtcdServer m_server{m_runtime};
};

QTEST_GUILESS_MAIN(TestEtcdDriver)
#include "tst_etcd_driver.moc"
