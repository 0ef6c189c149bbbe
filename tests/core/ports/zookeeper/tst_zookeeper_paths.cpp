// SPDX-License-Identifier: Apache-2.0
// Paths as a ZooKeeper takes them, and their parts.
#include "ports/zookeeper/port.h"

#include <QTest>

using namespace lockscope::zookeeper;

class TestZooKeeperPaths : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void whatAServerTakesIsValid_data() {
        QTest::addColumn<QByteArray>("path");
        QTest::addColumn<bool>("valid");
        const auto row = [](const char* path, bool valid) { QTest::newRow(path) << QByteArray(path) << valid; };
        for (const char* path : {"/", "/a", "/a/b", "/a b", "/...", "/.a/b..", "/\xc3\xa9/\xe2\x82\xac"})
            row(path, true);
        for (const char* path : {"", "a", "a/b", "//", "/a/", "/a//b", "/.", "/..", "/a/./b", "/a/../b", "/a\tb",
                                 "/\x7f", "/a/\xc2\x85", "/\xee\x80\x80", "/\xff", "/\xf0\x9f\x94\x92"})
            row(path, false);
    }
    void whatAServerTakesIsValid() {
        QFETCH(QByteArray, path);
        QFETCH(bool, valid);
        QCOMPARE(validPath(path), valid);
    }

    void childrenHaveTheirParentsAndNames() {
        for (const char* parent : {"/", "/orders", "/orders/42"}) {
            const QByteArray child = childOf(parent, "lock-1");
            QCOMPARE(parentOf(child), QByteArray(parent));
            QCOMPARE(nameOf(child), QByteArray("lock-1"));
        }
        QCOMPARE(childOf("/", "a"), QByteArray("/a"));
        QCOMPARE(childOf("/a", "b"), QByteArray("/a/b"));
    }
};

QTEST_GUILESS_MAIN(TestZooKeeperPaths)
#include "tst_zookeeper_paths.moc"
