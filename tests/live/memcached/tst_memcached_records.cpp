// SPDX-License-Identifier: Apache-2.0
#include "client/connect.h"
#include "live_memcached.h"
#include "record_race.h"

using namespace lockscope;
using namespace lockscope::test;

/// Records that processes agree on by, kept on memcached as far as it keeps anything.
class TestMemcachedRecords : public QObject {
    Q_OBJECT
    std::unique_ptr<Connection> connect(const sandbox::MemcachedServer& server) {
        return makeConnection(m_runtime, urlOf(server));
    }

private Q_SLOTS:
    void initTestCase() {
        VERIFY_STARTED(m_first);
        VERIFY_STARTED(m_second);
        VERIFY_STARTED(m_third);
    }

    void oneOfTwoWritersWins() {
        const auto a = connect(m_first), b = connect(m_first);
        const QString clash = raceOfWriters(m_runtime, *a->records(), *b->records(), "race of writers 锁");
        QVERIFY2(clash.isEmpty(), qPrintable(clash));
        const auto tooLong = run(a->records()->read(QByteArray(251, 'n'), {}));
        QVERIFY(!tooLong && tooLong.error().kind == LockError::Kind::Refused);
    }

    void whoeverKnowsItPutsItBack() {
        const auto a = connect(m_first), b = connect(m_first);
        const auto written = run(a->records()->replace("back", {}, "epoch 7", {}));
        QVERIFY(written && *written);
        const auto seen = run(b->records()->read("back", {}));
        QVERIFY(seen && seen->there);
        run(m_first.stop()); // and with it all that it had
        VERIFY_STARTED(m_first);
        const auto stranger = connect(m_first);
        const auto nothing = run(stranger->records()->read("back", {}));
        QVERIFY2(nothing.has_value(), nothing ? "" : qPrintable(nothing.error().message));
        QVERIFY(!nothing->there);
        std::expected<Record, LockError> again = run(b->records()->read("back", {}));
        if (!again) again = run(b->records()->read("back", {})); // the first one may find the old connection
        QVERIFY2(again.has_value(), again ? "" : qPrintable(again.error().message));
        QVERIFY(again->there);
        QCOMPARE(again->value, QByteArray("epoch 7"));
        const auto known = run(stranger->records()->read("back", {}));
        QVERIFY(known && known->there);
        QCOMPARE(known->value, QByteArray("epoch 7"));
        // The number that it had is another's now, or is the item's again: a server counts anew in each of its runs.
        const auto stale = run(b->records()->replace("back", *seen, "epoch 8", {}));
        QVERIFY(stale && !*stale);
        const auto fresh = run(b->records()->replace("back", *again, "epoch 8", {}));
        QVERIFY(fresh && *fresh);
    }

    void whatIsAskedOutlivesItsConnection() {
        auto a = connect(m_second);
        const auto b = connect(m_second); // over the same socket, which stays
        QVERIFY(run(b->records()->replace("left", {}, "epoch 1", {})).value());
        const auto reading = beside(a->records()->read("left", {}));
        a.reset();
        QTRY_VERIFY(reading->done);
        QVERIFY(reading->result && *reading->result);
        QCOMPARE((*reading->result)->value, QByteArray("epoch 1"));
    }

    void oneOfTwoManagersWins() {
        const QString clash =
            raceOfManagers(m_runtime, managerOver({m_first.url(), m_second.url(), m_third.url()}, "memcached-lease"));
        QVERIFY2(clash.isEmpty(), qPrintable(clash));
    }

private:
    EventLoopRuntime m_runtime;
    sandbox::MemcachedServer m_first{m_runtime}, m_second{m_runtime}, m_third{m_runtime};
};

QTEST_GUILESS_MAIN(TestMemcachedRecords)
#include "tst_memcached_records.moc"
