// SPDX-License-Identifier: Apache-2.0
#include "inspect/memcached/key_finder.h"
#include <QTest>

using namespace lockscope;
using namespace lockscope::inspect;

namespace {

WatchOptions matching(const QString& patterns) {
    WatchOptions options;
    options.names = nameFilterFrom(patterns, {});
    return options;
}
constexpr std::uint64_t kSmall = 100; // bytes, as a lock's item

} // namespace

/// Keys of a memcached's list that may be locks.
class TestKeyFinder : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void largeNamedAndUnwantedKeysAreNotWanted() {
        KeyFinder finder(matching(QStringLiteral("orders:*")), {{"orders:named", 0}});
        const memcached::WantsKey wants = finder.wants();
        QVERIFY(wants("orders:1", kSmall));
        QVERIFY(!wants("orders:1", 100 * kSmall));
        QVERIFY(!wants("orders:named", kSmall)); // it is read anyway
        QVERIFY(!wants("stock:1", kSmall));
    }

    /// A list may still come when its finder is gone: another one at the same place has no say in it.
    void aListOutlivesItsFinder() {
        std::optional<KeyFinder> finder;
        finder.emplace(matching(QStringLiteral("orders:*")), std::vector<memcached::ListedKey>{{"orders:named", 0}});
        const memcached::WantsKey wants = finder->wants();
        finder.reset();
        finder.emplace(matching(QStringLiteral("stock:*")), std::vector<memcached::ListedKey>{{"stock:named", 0}});
        const memcached::WantsKey others = finder->wants();
        QVERIFY(wants("orders:1", kSmall));
        QVERIFY(!wants("orders:named", kSmall));
        QVERIFY(!wants("stock:1", kSmall));
        QVERIFY(others("stock:1", kSmall) && !others("orders:1", kSmall));
    }

    void anItemThatComesTwiceIsOne() {
        KeyFinder finder(matching({}), {});
        finder.take({{{"orders", 1}, {"stock", 2}, {"orders", 1}, {"stock", 3}}, 5}, Nanos(0), Nanos(0));
        QCOMPARE(finder.there(), 3);
        QCOMPARE(finder.left(), 2u);
        QCOMPARE(finder.unread(10).size(), 2u);
    }

    /// Keys beyond the bound are counted for the list that has them, and for no later one.
    void onlyTheLatestListIsToldToBeBounded() {
        constexpr int kMoreThanKept = 200'001;
        KeyFinder finder(matching({}), {});
        const memcached::WantsKey abandoned = finder.wants(), latest = finder.wants();
        for (int i = 0; i < kMoreThanKept; ++i)
            abandoned(QByteArray::number(i), kSmall);
        QVERIFY(latest("orders", kSmall));
        finder.take({{{"orders", 1}}, 1}, Nanos(0), Nanos(0));
        QCOMPARE(finder.notes().size(), 1u);
        QVERIFY(finder.notes().front().kind == WatchNote::Kind::KeysListed);
    }
};

QTEST_GUILESS_MAIN(TestKeyFinder)
#include "tst_key_finder.moc"
