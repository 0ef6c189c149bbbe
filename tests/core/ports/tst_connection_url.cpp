// SPDX-License-Identifier: Apache-2.0
#include "ports/url.h"
#include "ports/url_login.h"
#include "ports/zookeeper/options.h"

#include <QTest>

using namespace lockscope;

namespace {
QString operator""_s(const char* text, std::size_t size) {
    return QString::fromUtf8(text, qsizetype(size));
}
} // namespace

class TestConnectionUrl : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void reads_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("host");
        QTest::addColumn<int>("port");
        QTest::addColumn<QString>("user");
        QTest::addColumn<QString>("password");
        QTest::addColumn<int>("database");
        QTest::addColumn<QString>("display");
        const auto row = [](const QString& text, const QString& host, int port, const QString& user,
                            const QString& password, int database, const QString& display) {
            QTest::newRow(text.toUtf8().constData()) << text << host << port << user << password << database << display;
        };
        row("redis://localhost"_s, "localhost"_s, 6379, {}, {}, 0, "redis://localhost:6379"_s);
        row("redis://localhost/"_s, "localhost"_s, 6379, {}, {}, 0, "redis://localhost:6379"_s);
        row("REDIS://10.0.0.7:7000/3"_s, "10.0.0.7"_s, 7000, {}, {}, 3, "redis://10.0.0.7:7000/3"_s);
        row(" redis://h:1 "_s, "h"_s, 1, {}, {}, 0, "redis://h:1"_s);
        row("redis://:secret@h"_s, "h"_s, 6379, {}, "secret"_s, 0, "redis://h:6379"_s);
        row("redis://ann:se:cret@h"_s, "h"_s, 6379, "ann"_s, "se:cret"_s, 0, "redis://ann@h:6379"_s);
        row("redis://ann:p%40ss%2Fw%25@h"_s, "h"_s, 6379, "ann"_s, "p@ss/w%"_s, 0, "redis://ann@h:6379"_s);
        row("redis://ann:p@ss@h"_s, "h"_s, 6379, "ann"_s, "p@ss"_s, 0, "redis://ann@h:6379"_s);
        row("redis://:pa/ss@h/3"_s, "h"_s, 6379, {}, "pa/ss"_s, 3, "redis://h:6379/3"_s);
        row("redis://ann:p?a#s@s/@h"_s, "h"_s, 6379, "ann"_s, "p?a#s@s/"_s, 0, "redis://ann@h:6379"_s);
        row("redis://a%20b:x@h"_s, "h"_s, 6379, "a b"_s, "x"_s, 0, "redis://a%20b@h:6379"_s);
        row("redis://[::1]:6380/1"_s, "::1"_s, 6380, {}, {}, 1, "redis://[::1]:6380/1"_s);
        row("redis://[fe80::1]"_s, "fe80::1"_s, 6379, {}, {}, 0, "redis://[fe80::1]:6379"_s);
        row("rediss://h"_s, "h"_s, 6379, {}, {}, 0, "rediss://h:6379"_s);
        row("redis://:密码@h"_s, "h"_s, 6379, {}, "密码"_s, 0, "redis://h:6379"_s);
    }
    void reads() {
        QFETCH(QString, text);
        QFETCH(QString, host);
        QFETCH(int, port);
        QFETCH(QString, user);
        QFETCH(QString, password);
        QFETCH(int, database);
        QFETCH(QString, display);
        const auto url = parseConnectionUrl(text);
        QVERIFY2(url, url ? "" : qPrintable(url.error()));
        QCOMPARE(url->endpoints.size(), 1u);
        QCOMPARE(url->endpoints[0].host, host);
        QCOMPARE(int(url->endpoints[0].port), port);
        QCOMPARE(url->user, user);
        QCOMPARE(url->password, password);
        QCOMPARE(url->database, database);
        QCOMPARE(url->display(), display);
        QCOMPARE(url->tls, display.startsWith("rediss"_s));
    }
    void readsTlsFiles() {
        const auto url = parseConnectionUrl("rediss://h?ca=/etc/ca%20dir/ca.pem&cert=c.pem&key=k.pem"_s);
        QVERIFY(url);
        QCOMPARE(url->tlsFiles, (TlsFiles{"/etc/ca dir/ca.pem"_s, "c.pem"_s, "k.pem"_s}));
    }
    void everyServiceHasItsScheme_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<Service>("service");
        QTest::addColumn<QString>("shown");
        const auto row = [](const QString& text, Service service, const QString& shown) {
            QTest::newRow(text.toUtf8().constData()) << text << service << shown;
        };
        row("redis+sentinel://:pw@h1:1,h2:2/mymaster/3"_s, Service::RedisSentinel,
            "redis+sentinel://h1:1,h2:2/mymaster/3"_s);
        row("redis+cluster://h1,h2:7"_s, Service::RedisCluster, "redis+cluster://h1:6379,h2:7"_s);
        row("redlock://h1,h2,h3"_s, Service::Redlock, "redlock://h1:6379,h2:6379,h3:6379"_s);
        row("zk://ann:pw@h1,[::1]:5/a/b/"_s, Service::ZooKeeper, "zookeeper://ann@h1:2181,[::1]:5/a/b"_s);
        row("mariadb://root@h/locks"_s, Service::MySql, "mysql://root@h:3306/locks"_s);
        row("postgres://ann:pw@h/locks?tls=on&ca=/x"_s, Service::PostgreSql, "postgresql://ann@h:5432/locks"_s);
        row("postgresql://h/locks?key=number"_s, Service::PostgreSql, "postgresql://h:5432/locks?key=number"_s);
        row("postgresql://h/locks?key=two-int&tls=on&cert=/c&key=/k"_s, Service::PostgreSql,
            "postgresql://h:5432/locks?key=two-int"_s);
        row("postgresql://h/locks?tls=on&cert=/c&key=./hash"_s, Service::PostgreSql, "postgresql://h:5432/locks"_s);
        row("zk://h?layout=both"_s, Service::ZooKeeper, "zookeeper://h:2181?layout=both"_s);
        row("sqlite:///tmp/a%20b@c.db"_s, Service::Sqlite, "sqlite:///tmp/a b@c.db"_s);
        row("memcached://h1,h2"_s, Service::Memcached, "memcached://h1:11211,h2:11211"_s);
        row("memcacheds://ann:pw@h1?ca=/x"_s, Service::Memcached, "memcacheds://ann@h1:11211"_s);
        row("etcds://h1?ca=/x"_s, Service::Etcd, "etcds://h1:2379"_s);
        // A URL as it is shown can be read again.
        row("sqlite:///tmp/a%3Fb%25c%23d%20"_s, Service::Sqlite, "sqlite:///tmp/a%3Fb%25c%23d%20"_s);
        row("postgres://h/a%40b%20c"_s, Service::PostgreSql, "postgresql://h:5432/a%40b c"_s);
    }
    void everyServiceHasItsScheme() {
        QFETCH(QString, text);
        const auto url = parseConnectionUrl(text);
        QVERIFY2(url, qPrintable(url ? QString() : url.error()));
        QTEST(url->service, "service");
        QTEST(url->display(), "shown");
    }
    void optionsAreRead() {
        const auto url = parseConnectionUrl("zk://h?session=4s"_s);
        QVERIFY(url);
        QCOMPARE(url->option("session"), "4s"_s);
        QCOMPARE(url->option("table"), QString());
        const auto kazoo = parseConnectionUrl("zk://h?layout=kazoo"_s);
        QVERIFY(kazoo);
        QVERIFY(zookeeper::urlOptions(*kazoo)->layout == zookeeper::Layout::Kazoo);
        QVERIFY(zookeeper::urlOptions(*url)->layout == zookeeper::Layout::Curator);
        QCOMPARE(zookeeper::urlOptions(*url)->driver.session, Nanos(4s));
    }
    void timesAreReadAndShown_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("shown");
        const auto row = [](const QString& text, const QString& shown) {
            QTest::newRow(text.toUtf8().constData()) << text << shown;
        };
        row("redis://h?connect=1h&timeout=10ms"_s, "redis://h:6379?timeout=10ms&connect=1h"_s);
        row("redis+cluster://h?timeout=1.5s"_s, "redis+cluster://h:6379?timeout=1.5s"_s);
        row("redlock://h?node=1ms&wait"_s, {});
        row("redlock://h?node=1m"_s, "redlock://h:6379?node=1m"_s);
        row("zk://h?session=4s&connect=2s"_s, "zookeeper://h:2181?session=4s&connect=2s"_s);
        row("mysql://h/d?table=a%26b&timeout=1s"_s, "mysql://h:3306/d?table=a%26b&timeout=1s"_s);
        row("sqlite:///f?timeout=1s"_s, "sqlite:///f?timeout=1s"_s);
        row("memcached://h?timeout=1s&connect=2m"_s, "memcached://h:11211?timeout=1s&connect=2m"_s);
        row("etcd://h?connect=1s"_s, "etcd://h:2379?connect=1s"_s);
        for (const char* wrong :
             {"redis://h?timeout=9ms", "redis://h?timeout=61m", "redis://h?timeout=3", "redis://h?connect=-1s",
              "redis://h?node=5ms", "redlock://h?node=999us", "redlock://h?node=2m", "zk://h?timeout=1s",
              "sqlite:///f?connect=1s", "etcd://h?connect=soon"})
            row(QString::fromLatin1(wrong), {});
    }
    void timesAreReadAndShown() {
        QFETCH(QString, text);
        QFETCH(QString, shown);
        const auto url = parseConnectionUrl(text);
        QVERIFY2(bool(url) == !shown.isEmpty(), url ? "" : qPrintable(url.error()));
        if (!url) return;
        QCOMPARE(url->display(), shown);
        QCOMPARE(url->address(), shown.section(u'?', 0, 0));
        QCOMPARE(parseConnectionUrl(shown).value(), *url);
    }
    void complaintsOfTimesNameRangeAndUnit() {
        const QString error = parseConnectionUrl("redlock://h?node=20"_s).error();
        for (const char* part : {"node=20", "1ms", "1m", "node=500ms"})
            QVERIFY2(error.contains(QLatin1String(part)), qPrintable(error));
        Nanos time = 5s;
        parseConnectionUrl("redis://h?timeout=250ms"_s)->takeTime("connect", time);
        QCOMPARE(time, Nanos(5s));
        parseConnectionUrl("redis://h?timeout=250ms"_s)->takeTime("timeout", time);
        QCOMPARE(time, Nanos(250ms));
    }
    void aLoginForTheSentinels() {
        const auto url = parseConnectionUrl(
            "redis+sentinel://ann:pw@h/m?wait=1&sentinel-user=b%20b&sentinel-password=hun%26ter%402"_s);
        QVERIFY2(url, url ? "" : qPrintable(url.error()));
        QCOMPARE(url->sentinelUser, "b b"_s);
        QCOMPARE(url->sentinelPassword, "hun&ter@2"_s);
        QCOMPARE(url->display(), "redis+sentinel://ann@h:26379/m?wait=1&sentinel-user=b%20b"_s);
        QVERIFY(!url->options.contains("sentinel-password"_s));
    }
    void theSentinelsPasswordIsNeverShown_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("kept");
        QTest::addColumn<QString>("shown");
        const auto row = [](const char* text, const char* kept, const char* shown) {
            QTest::newRow(text) << QString::fromUtf8(text) << QString::fromUtf8(kept) << QString::fromUtf8(shown);
        };
        row("redis+sentinel://h/m?sentinel-password=hunter2", "redis+sentinel://h/m", "redis+sentinel://h/m?…");
        row("redis+sentinel://ann:pw@h/m?wait=1&sentinel-password=hunter2&timeout=1s",
            "redis+sentinel://ann@h/m?wait=1&timeout=1s", "redis+sentinel://…@h/m?wait=1&…");
        row("redis+sentinel://h/m?sentinel-password=hunt&er2", "redis+sentinel://h/m?", "redis+sentinel://h/m?…");
        row("redis+sentinel://h/m?sentinel-password=hunt@er2", "redis+sentinel://", "redis+sentinel://…");
        row("redis+sentinel://h/m?sentinel-password=hunter#2", "redis+sentinel://h/m?", "redis+sentinel://h/m?…");
        row("redis+sentinel://h/m?Sentinel-Password=hunter2", "redis+sentinel://h/m?", "redis+sentinel://h/m?…");
        row("redis+sentinel://h/m&sentinel-password=hunter2", "redis+sentinel://h/m&", "redis+sentinel://h/m&…");
        row("redis+sentinel://h,sentinel-password=hunter2", "redis+sentinel://h,", "redis+sentinel://h,…");
        row("redis+sentinel://h/m?timeout=5s;sentinel-password=hunter2", "redis+sentinel://h/m?timeout=5s;",
            "redis+sentinel://h/m?timeout=5s;…");
        row("redis+sentinel://h/m?wait=1;Sentinel-Password=hunter2", "redis+sentinel://h/m?wait=1;",
            "redis+sentinel://h/m?wait=1;…");
        row("redis://h?sentinel-password=hunter2", "redis://h?", "redis://h?…");
        row("sentinel-password=hunter2://h@b", "", "…");
    }
    void theSentinelsPasswordIsNeverShown() {
        QFETCH(QString, text);
        QTEST(withoutPassword(text), "kept");
        QTEST(shownWord(text), "shown");
        QCOMPARE(withoutLogins("what is "_s + text, {text}), "what is "_s + shownWord(text));
        const auto url = parseConnectionUrl(text);
        const QString said = url ? url->display() : url.error();
        QVERIFY2(!said.contains("hunt"_s) && !said.contains("er2"_s), qPrintable(said));
    }

    void secretsAreCoveredWhileTheyAreTyped_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("shown");
        QTest::newRow("none") << "redis://host:6379/2"_s
                              << "redis://host:6379/2"_s;
        QTest::newRow("port so far") << "redis://host:63"_s
                                     << "redis://host:63"_s;
        QTest::newRow("no port") << "redis://ann:hu"_s
                                 << "redis://ann:**"_s;
        QTest::newRow("whole") << "redis://ann:hunter2@host:6379"_s
                               << "redis://ann:*******@host:6379"_s;
        QTest::newRow("digits") << "redis://ann:1234@host"_s
                                << "redis://ann:****@host"_s;
        QTest::newRow("no user") << "rediss://:s@host:1/0?ca=/x:y"_s
                                 << "rediss://:*@host:1/0?ca=/x:y"_s;
        QTest::newRow("an @ in it") << "redis://a:b@c@host"_s
                                    << "redis://a:***@host"_s;
        QTest::newRow("several hosts") << "redis+cluster://a:1,b:2"_s
                                       << "redis+cluster://a:1,b:2"_s;
        QTest::newRow("IPv6") << "redis://[::1]:6379"_s
                              << "redis://[::1]:6379"_s;
        QTest::newRow("option") << "redis+sentinel://h/m?sentinel-password=pw&db=1"_s
                                << "redis+sentinel://h/m?sentinel-password=**&db=1"_s;
    }
    void secretsAreCoveredWhileTheyAreTyped() {
        QFETCH(QString, text);
        for (const Stretch& secret : secretsOf(text))
            text.replace(secret.from, secret.length, QString(secret.length, u'*'));
        QTEST(text, "shown");
    }

    void complains_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("says"); ///< what the sentence must name
        const auto row = [](const QString& text, const QString& says) {
            QTest::newRow(text.toUtf8().constData()) << text << says;
        };
        row(""_s, "redis://127.0.0.1:6379"_s);
        row("localhost:6379"_s, "redis://127.0.0.1:6379"_s);
        row("http://h"_s, "http://"_s);
        row("redis://"_s, "host"_s);
        row("redis://:6379"_s, "host"_s);
        row("redis://h:"_s, "colon"_s);
        row("redis://h:0"_s, "65535"_s);
        row("redis://h:65536"_s, "65535"_s);
        row("redis://h:6379x"_s, "65535"_s);
        row("redis://h:-1"_s, "65535"_s);
        row("redis://h:+1"_s, "65535"_s);
        row("redis://::1"_s, "[::1]"_s);
        row("redis://[::1"_s, "]"_s);
        row("redis://[::1]6379"_s, ":port"_s);
        row("redis://a b"_s, "space"_s);
        row("redis://h/x"_s, "database"_s);
        row("redis://h/-1"_s, "database"_s);
        row("redis://h/1/2"_s, "database"_s);
        row("redis://secret@h"_s, "password"_s);
        row("redis://ann:@h"_s, "password"_s);
        row("redis://ann:50%@h"_s, "%25"_s);
        row("redis://ann:secret#1@h#x"_s, "%23"_s);
        row("redis://h?ca=x"_s, "rediss://"_s);
        row("rediss://h?insecure=1"_s, "insecure"_s);
        row("rediss://h?ca="_s, "ca"_s);
        row("rediss://ann:pw@h?ca=/etc/a@b.pem"_s, "%40"_s);
        row("rediss://h?cert=c.pem"_s, "key="_s);
        row("redis://h1,h2"_s, "one host"_s);
        row("redlock://h1,h1"_s, "twice"_s);
        row("redis+sentinel://h1,h2"_s, "mymaster"_s);
        row("redis+cluster://h1/2"_s, "path"_s);
        row("zk://h1//a"_s, "empty part"_s);
        row("zk://ann:secret@h1,:2"_s, "host"_s);
        row("mysql://ann:secret@h"_s, "database"_s);
        row("postgresql://h/a/b"_s, "slash"_s);
        row("postgresql://h/a?tls=maybe"_s, "tls"_s);
        row("postgresql://h/a?ca=x"_s, "tls=on"_s);
        row("etcd://h?ca=x"_s, "etcds://"_s);
        row("memcached://h?ca=x"_s, "memcacheds://"_s);
        row("zk://h?ca=x"_s, "TLS"_s);
        row("zk://h?session=10"_s, "session=10s"_s);
        row("zk://h?layout=etcd"_s, "kazoo"_s);
        row("zk://ann:secret@h?acl=all"_s, "open"_s);
        row("zk://h?acl=creator"_s, "login"_s);
        row("zk://h?acl=read"_s, "login"_s);
        row("redis://h?wait=1&timeout=1s&wait=2"_s, "“wait” is given twice"_s);
        row("mysql://h/a?key=number"_s, "key"_s);
        row("postgresql://h/a?key=hash&key=number"_s, "“key” is given twice"_s);
        row("rediss://h?ca=x&ca=y"_s, "“ca” is given twice"_s);
        row("sqlite:////f?tls=on"_s, "there are table=, timeout=, match=, ignore=, name=, owner=, until=."_s);
        row("etcds://h?x=1"_s, "each a file name; also timeout=, connect=, match=, ignore=."_s);
        row("memcached://h?list=all"_s, "metadump"_s);
        row("redis+sentinel://h/m?sentinel-password=hunter2&sentinel-password=x"_s, "given twice"_s);
        row("redis+sentinel://h/m?sentinel-user=ann"_s, "sentinel-password"_s);
        row("redis+sentinel://h/m?sentinel-password=a&b"_s, "%26"_s);
        row("sqlite://locks.db"_s, "three slashes"_s);
        row("sqlite:///"_s, "file"_s);
    }
    void complains() {
        QFETCH(QString, text);
        QFETCH(QString, says);
        const auto url = parseConnectionUrl(text);
        QVERIFY(!url);
        QVERIFY2(url.error().contains(says), qPrintable(url.error()));
    }
    void theEnvironmentMayHaveThePassword() {
        qputenv("LOCKSCOPE_TEST_PASSWORD", "p@ss:w?rd");
        for (const QString& text : {"redis://ann@h?password-env=LOCKSCOPE_TEST_PASSWORD"_s,
                                    "redis+sentinel://ann@h:1/shop?wait=1&password-env=LOCKSCOPE_TEST_PASSWORD"_s,
                                    "postgresql://ann@h/db?password-env=LOCKSCOPE_TEST_PASSWORD"_s}) {
            const auto url = parseConnectionUrl(text);
            QVERIFY2(url, url ? "" : qPrintable(url.error()));
            QCOMPARE(url->user, "ann"_s);
            QCOMPARE(url->password, "p@ss:w?rd"_s);
            QVERIFY(!url->display().contains("p@ss"_s));
            QCOMPARE(withoutPassword(text), text); // it has none
        }
        const auto alone = parseConnectionUrl("redis://h?password-env=LOCKSCOPE_TEST_PASSWORD"_s);
        QVERIFY(alone && alone->user.isEmpty() && alone->password == "p@ss:w?rd"_s);
        QVERIFY(!parseConnectionUrl("redis://ann:other@h?password-env=LOCKSCOPE_TEST_PASSWORD"_s));
        QVERIFY(!parseConnectionUrl("sqlite:///file?password-env=LOCKSCOPE_TEST_PASSWORD"_s));
        qunsetenv("LOCKSCOPE_TEST_PASSWORD");
        const auto missing = parseConnectionUrl("redis://ann@h?password-env=LOCKSCOPE_TEST_PASSWORD"_s);
        QVERIFY(!missing);
        QVERIFY(missing.error().contains("password-env"_s));
        QVERIFY(!missing.error().contains("LOCKSCOPE"_s)); // it might be the password itself
        const QString unset = "redis://ann@h?password-env=LOCKSCOPE_TEST_PASSWORD"_s;
        QCOMPARE(withoutPassword(unset), unset);
        const QString both = withoutPassword("redis://ann:other@h?password-env=LOCKSCOPE_TEST_PASSWORD"_s);
        QVERIFY2(!both.contains("other"_s), qPrintable(both));
    }
    void complaintsNeverRepeatThePassword() {
        for (const char* tail : {"h:x", "h/x", ":1", "[::1", "h?x=1", "h#x", "h:1:2", "a b", ""}) {
            const auto url = parseConnectionUrl("redis://ann:hunter2@"_s + QString::fromLatin1(tail));
            QVERIFY(!url);
            QVERIFY2(!url.error().contains("hunter2"_s), qPrintable(url.error()));
        }
        for (const char* text :
             {"redis://hunter2@h", "redis://ann:hunter2%@h", "redis://hunter%zz:x@h", "redis://ann:hunter2",
              "redis://ann:hunter:2", "redis://ann:hunter/2", "zk://ann:hunter,h", "sqlite://ann:hunter2@h/db",
              "ann:hunter2@redis://h", "redis:hunter2@h://x", "redis://:hunter2?wait=x@h"})
            QVERIFY(!parseConnectionUrl(QString::fromLatin1(text)).error().contains("hunter"_s));
    }
    void wordsAreShownWithoutTheirLogin_data() {
        QTest::addColumn<QString>("word");
        QTest::addColumn<QString>("shown");
        const auto row = [](const QString& word, const QString& shown) {
            QTest::newRow(word.toUtf8().constData()) << word << shown;
        };
        row("redis://:hunter2@h/1"_s, "redis://…@h/1"_s);
        row("redis://ann:hun/ter@2@h"_s, "redis://…@h"_s);
        row("--url=redis://ann:hunter2@h"_s, "--url=redis://…@h"_s);
        row("--url:hunter2@h"_s, "…@h"_s);
        row(":hunter2@h:6379"_s, "…@h:6379"_s);
        row("redis:/:hunter2@h"_s, "…@h"_s);
        row("ann:hunter2@redis://h"_s, "…@redis://h"_s);
        row("hunter2@h"_s, "…@h"_s);
        row("redis://h:6379"_s, "redis://h:6379"_s);
        row("gc-pause"_s, "gc-pause"_s);
    }
    void wordsAreShownWithoutTheirLogin() {
        QFETCH(QString, word);
        QTEST(shownWord(word), "shown");
        const QString message = "“%1”: there is no such thing"_s;
        QCOMPARE(withoutLogins(message.arg(word), {"2@h"_s, word}), message.arg(shownWord(word)));
    }
};

QTEST_GUILESS_MAIN(TestConnectionUrl)
#include "tst_connection_url.moc"
