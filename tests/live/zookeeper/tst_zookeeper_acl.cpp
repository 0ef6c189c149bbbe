// SPDX-License-Identifier: Apache-2.0
#include "client/connect.h"
#include "zookeeper_peer.h"

using namespace lockscope;
using namespace lockscope::test;
using Kind = LockError::Kind;

/// The rights to our nodes, as the URL gives them and the server keeps them.
class TestZooKeeperAcl : public QObject {
    Q_OBJECT
private:
    std::unique_ptr<Connection> open(const QString& login, const QString& acl) {
        QString text = QStringLiteral("zookeeper://") + login + m_server.url().section(u'/', 2);
        if (!acl.isEmpty()) text += QStringLiteral("?acl=") + acl;
        auto connection = makeConnection(m_runtime, parseConnectionUrl(text).value());
        const auto opened = run(connection->open());
        if (!opened) qWarning("%s", qPrintable(opened.error().message));
        return connection;
    }
    static std::unique_ptr<Recipe> mutex(Connection& connection, const QByteArray& name) {
        return connection.makeRecipe("zk-mutex", LockSpec{name}).value();
    }
    /// A node's access list, as the server tells its owner: "digest:ann:31 world:anyone:1".
    QByteArray accessListOf(const QByteArray& path) {
        const auto script = QStringLiteral("import sys\n"
                                           "from kazoo.client import KazooClient\n"
                                           "zk = KazooClient(sys.argv[1], auth_data=[('digest', 'ann:secret')])\n"
                                           "zk.start()\n"
                                           "told = ['%s:%s:%d' % (a.id.scheme, a.id.id.split(':')[0], a.perms)\n"
                                           "        for a in zk.get_acls(sys.argv[2])[0]]\n"
                                           "print(' '.join(sorted(told)), flush=True)\n"
                                           "zk.stop()\n");
        Peer kazoo(QStringLiteral("/usr/bin/python3"),
                   {QStringLiteral("-c"), script, m_server.url().section(u'/', 2), QString::fromLatin1(path)});
        return kazoo.hear();
    }

private Q_SLOTS:
    void initTestCase() { VERIFY_STARTED(m_server); }

    void nodesHaveTheAccessListThatTheUrlAsksFor_data() {
        QTest::addColumn<QString>("login");
        QTest::addColumn<QString>("acl");
        QTest::addColumn<QByteArray>("list");
        const QString ann = QStringLiteral("ann:secret@");
        QTest::newRow("nobody") << QString() << QString() << QByteArray("world:anyone:31");
        QTest::newRow("nobody open") << QString() << QStringLiteral("open") << QByteArray("world:anyone:31");
        QTest::newRow("ann") << ann << QString() << QByteArray("digest:ann:31");
        QTest::newRow("ann creator") << ann << QStringLiteral("creator") << QByteArray("digest:ann:31");
        QTest::newRow("ann read") << ann << QStringLiteral("read") << QByteArray("digest:ann:31 world:anyone:1");
        QTest::newRow("ann open") << ann << QStringLiteral("open") << QByteArray("world:anyone:31");
    }
    void nodesHaveTheAccessListThatTheUrlAsksFor() {
        QFETCH(QString, login);
        QFETCH(QString, acl);
        const auto connection = open(login, acl);
        const QByteArray name = QByteArray(QTest::currentDataTag()).replace(' ', '-');
        const auto recipe = mutex(*connection, name);
        const auto held = take(*recipe);
        VERIFY_OK(held);
        QTEST(accessListOf('/' + name), "list");
        QTEST(accessListOf((*held)->value), "list");
        VERIFY_OK(run(recipe->release(**held, {})));
    }

    void anotherLoginMayDoWhatTheListSays_data() {
        QTest::addColumn<QString>("acl");
        QTest::addColumn<bool>("looks");
        QTest::addColumn<bool>("waits");
        QTest::newRow("creator") << QStringLiteral("creator") << false << false;
        QTest::newRow("read") << QStringLiteral("read") << true << false;
        QTest::newRow("open") << QStringLiteral("open") << true << true;
    }
    void anotherLoginMayDoWhatTheListSays() {
        QFETCH(QString, acl);
        QFETCH(bool, looks);
        QFETCH(bool, waits);
        const auto ann = open(QStringLiteral("ann:secret@"), acl), bob = open(QStringLiteral("bob:other@"), acl);
        const QByteArray name = "of-" + acl.toLatin1();
        const auto hers = mutex(*ann, name), his = mutex(*bob, name);
        const auto held = take(*hers);
        VERIFY_OK(held);
        const auto locked = run(his->isLocked({}));
        QCOMPARE(locked.has_value(), looks);
        if (looks) QCOMPARE(*locked, true);
        if (!looks) QVERIFY(locked.error().kind == Kind::Refused);
        const auto tried = take(*his, request(Nanos(0))); // who only tries and sees somebody does not queue up
        QCOMPARE(tried.has_value(), looks);
        const auto waiting = begin(m_runtime, *his, request(20s));
        if (!waits) {
            QVERIFY(eventually([&] { return waiting->done; }));
            QVERIFY(!waiting->taken);
            QVERIFY(waiting->taken.error().kind == Kind::Refused);
            QVERIFY2(waiting->taken.error().message.contains(QString::fromLatin1(name)),
                     qPrintable(waiting->taken.error().message));
        }
        const auto again = open(QStringLiteral("ann:secret@"), acl);
        const auto sameLogin = mutex(*again, name);
        const auto next = begin(m_runtime, *sameLogin, request(20s));
        VERIFY_OK(run(hers->release(**held, {})));
        if (waits) {
            QVERIFY(eventually([&] { return waiting->done; }));
            VERIFY_OK(waiting->taken);
            VERIFY_OK(run(his->release(**waiting->taken, {})));
        }
        QVERIFY(eventually([&] { return next->done; }));
        VERIFY_OK(next->taken);
        VERIFY_OK(run(sameLogin->release(**next->taken, {})));
    }

private:
    EventLoopRuntime m_runtime;
    ZooKeeperServer m_server{m_runtime};
};

QTEST_GUILESS_MAIN(TestZooKeeperAcl)
#include "tst_zookeeper_acl.moc"
