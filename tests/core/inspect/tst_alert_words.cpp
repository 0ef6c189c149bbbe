// SPDX-License-Identifier: Apache-2.0
// Alerts say no more than is known: about permits, clusters of which a part is away, and locks that nobody looks at.
#include "alert_reports.h"
#include "inspect/member_change.h"

#include <QTest>

using namespace lockscope;
using namespace lockscope::test;

namespace {

QString sentenceAt(const AlertWatch& watch, Nanos now) {
    const AlertBoard board = watch.board(now, kWall, {}, 9);
    return board.alerts.empty() ? QString() : board.alerts.front().sentence;
}

} // namespace

class TestAlertWords : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// Permits that name nobody have no end by design: a latch, a semaphore.
    void permitsWithoutHoldersNeedNoEnd() {
        AlertWatch watch = watching("no-expiry");
        LockRow latch = held("latch", "A"), lock = held("lock", "A");
        latch.mode = "permit";
        latch.holders.clear();
        latch.neverExpires = lock.neverExpires = true;
        watch.observe(report(1s, {latch, lock}));
        QCOMPARE(told(watch.check(1s)), u"no-expiry lock"_qs);
    }

    void forceIsAdvisedWhereItCanBeUsed() {
        for (const char* rule : {"no-expiry", "held>1s", "holder-gone"}) {
            AlertWatch watch = watching(rule);
            LockRow lock = held("lock", "A");
            lock.neverExpires = lock.holders.front().gone = true;
            lock.entries = {{"lock", "A"}};
            watch.observe(report(1s, {lock}));
            watch.observe(report(9s, {lock}));
            const auto raised = watch.check(9s);
            QCOMPARE(raised.size(), 1u);
            QVERIFY2(raised.front().advice.contains(u"by force"), qPrintable(raised.front().advice));
            lock.entries.clear();
            watch.observe(report(10s, {lock}));
            const QString advice = watch.board(10s, kWall, {}, 9).alerts.front().advice;
            QVERIFY2(!advice.contains(u"by force") && !advice.isEmpty(), qPrintable(advice));
        }
    }

    /// Its one row says whether it is held: without it Liquibase cannot work.
    void liquibasesRowIsNotToBeDeleted() {
        AlertWatch watch = watching("no-expiry");
        LockRow lock = held("public.databasechangeloglock:1", "A");
        lock.format = "liquibase";
        lock.neverExpires = true;
        watch.observe(report(1s, {lock}));
        const auto raised = watch.check(1s);
        QCOMPARE(raised.size(), 1u);
        QVERIFY2(raised.front().advice.contains(u"releaseLocks"), qPrintable(raised.front().advice));
    }

    /// A part of a cluster is away: its locks are not known, and that is told.
    void aPartOfAClusterMayBeUnreachable() {
        AlertWatch watch = watching("unreachable>3s");
        LockReport all = report(1s, {held("orders", "A")});
        all.servers = {{"10.0.0.1:6379", {}}, {"10.0.0.2:6379", {}}};
        watch.observe(all);
        QCOMPARE(told(watch.check(9s)), QString());
        LockReport part = report(10s, {held("orders", "A")});
        part.servers = all.servers;
        part.servers.back().trouble = u"10.0.0.2:6379 does not answer."_qs;
        watch.observe(part);
        part.at = 12s;
        watch.observe(part);
        QCOMPARE(told(watch.check(12900ms)), QString());
        QCOMPARE(told(watch.check(13100ms)), u"unreachable>3s "_qs);
        QCOMPARE(sentenceAt(watch, 14s),
                 u"1 of its 2 servers could not be read for 4.0 s: 10.0.0.2:6379 does not answer. The locks there are "
                 u"not known meanwhile."_qs);
        // All of it is away for a moment: the rule's time is the part's.
        LockReport away = report(14s, {});
        away.trouble = WatchTrouble{WatchTrouble::Kind::Unreachable, {}, u"away"_qs};
        watch.observe(away);
        QVERIFY2(sentenceAt(watch, 14500ms).contains(u"could not be read for 4.5 s"),
                 qPrintable(sentenceAt(watch, 14500ms)));
        all.at = 15s;
        watch.observe(all);
        QCOMPARE(told(watch.check(15s)), u"over unreachable>3s "_qs);
    }

    /// Each of a Redlock's servers and each member of an ensemble has every lock: none is unknown while a majority
    /// answers, and one that is away is told all the same.
    void aMemberMayBeUnreachable_data() {
        QTest::addColumn<bool>("together");
        QTest::newRow("redlock") << true;
        QTest::newRow("ensemble") << false;
    }
    void aMemberMayBeUnreachable() {
        QFETCH(bool, together);
        AlertWatch watch = watching("unreachable>3s");
        LockReport part = report(10s, {held("orders", "A")});
        part.together = together;
        part.servers = {{"10.0.0.1:2379", {}}, {"10.0.0.2:2379", {}}, {"10.0.0.3:2379", {}}};
        if (!together) {
            part.servers.front().identity.emplace();
            part.servers.front().identity->role = ServerIdentity::Role::Leader;
        }
        part.servers.back().trouble = doesNotAnswer();
        watch.observe(part);
        QCOMPARE(told(watch.check(13100ms)), u"unreachable>3s "_qs);
        QCOMPARE(sentenceAt(watch, 14s),
                 u"1 of its 3 servers could not be read for 4.0 s: 10.0.0.3:2379 does not answer. Every lock is known "
                 u"from the others, as long as a majority of the servers answers."_qs);
    }

    /// A server that stands still is out of sight before anybody gives up waiting for its answer.
    void anAlertOfAServerThatStandsStillIsOfThePast() {
        AlertWatch watch = watching("held>2s");
        watch.observe(report(1s, {held("orders", "A")}));
        watch.observe(report(4s, {held("orders", "A")}));
        QCOMPARE(told(watch.check(4s)), u"held>2s orders"_qs);
        watch.setUnanswered(4s);
        QVERIFY2(sentenceAt(watch, 5s).startsWith(u"“orders” is held"), qPrintable(sentenceAt(watch, 5s)));
        QVERIFY2(sentenceAt(watch, 7s).startsWith(u"When last seen, at "), qPrintable(sentenceAt(watch, 7s)));
        watch.setUnanswered(std::nullopt);
        QVERIFY2(sentenceAt(watch, 8s).startsWith(u"“orders” is held"), qPrintable(sentenceAt(watch, 8s)));
    }

    /// While nothing is known, an alert stands as it was, and does not grow.
    void lateRenewalsDoNotGrowUnseen() {
        AlertWatch watch = watching("renewal-late>1s");
        LockRow lock = held("lock", "A");
        for (int second = 1; second <= 10; ++second) {
            lock.ttlMs = 30'000;
            lock.ends = EndsWithin{kWall + second * 1000 + 30'000, kWall + second * 1000 + 30'000};
            watch.observe(report(std::chrono::seconds(second), {lock}));
        }
        lock.ttlMs = 25'000;
        watch.observe(report(15s, {lock}));
        QCOMPARE(told(watch.check(15s)), u"renewal-late>1s lock"_qs);
        const QString then = sentenceAt(watch, 15s);
        QVERIFY2(then.contains(u"late by 4.0 s") && then.contains(u"25.0 s of its lease"), qPrintable(then));
        LockReport away = report(16s, {});
        away.trouble = WatchTrouble{WatchTrouble::Kind::Unreachable, {}, u"away"_qs};
        watch.observe(away);
        QCOMPARE(told(watch.check(90s)), QString());
        QVERIFY2(sentenceAt(watch, 90s).endsWith(then), qPrintable(sentenceAt(watch, 90s)));
    }

    /// Nobody is said to wait, or to hold, on a server that may have restarted meanwhile.
    void ofAServerOutOfSightTheLastLookIsTold() {
        AlertWatch watch = watching("waited>3s");
        LockRow lock = held("jobs", "A");
        waits(lock, "B");
        watch.observe(report(1s, {lock}));
        watch.observe(report(6s, {lock}));
        QCOMPARE(told(watch.check(6s)), u"waited>3s jobs"_qs);
        const Alert seen = watch.board(6s, kWall + 6'000, {}, 9).alerts.front();
        LockReport away = report(7s, {});
        away.trouble = WatchTrouble{WatchTrouble::Kind::Unreachable, {}, u"away"_qs};
        watch.observe(away);
        const Alert unseen = watch.board(20s, kWall + 20'000, {}, 9).alerts.front();
        const QString at = QDateTime::fromMSecsSinceEpoch(kWall + 6000).toString(u"HH:mm:ss"_qs);
        QVERIFY2(unseen.sentence.startsWith(u"When last seen, at "_qs + at), qPrintable(unseen.sentence));
        QVERIFY2(!unseen.advice.contains(u"holder"), qPrintable(unseen.advice));
        watch.observe(report(21s, {lock}));
        const Alert again = watch.board(21s, kWall + 21'000, {}, 9).alerts.front();
        QCOMPARE(again.advice, seen.advice);
        QVERIFY2(!again.sentence.contains(u"last seen"), qPrintable(again.sentence));
    }

    /// Uptimes that name no run tell a restart by going back, and by nothing else.
    void aYoungerServerWasRestarted() {
        ServerIdentity before, now;
        before.uptime = 900s;
        now.uptime = 905s;
        QVERIFY(!changeOf(before, now, 60s)); // a late answer is no restart
        now.uptime = 3s;
        QCOMPARE(changeOf(before, now, 60s), std::optional(ServerEvent::Restarted));
        now.uptime = 0s; // it does not tell
        QVERIFY(!changeOf(before, now, 60s));
    }

    /// In a container each run has the same process id. A server that was away may run for longer by now than the run
    /// before it did when it was last seen.
    void aRunMayHaveTheNameOfTheOneBefore() {
        ServerIdentity before, now;
        before.runId = now.runId = "1";
        before.runIdReturns = now.runIdReturns = true;
        before.uptime = 60s;
        now.uptime = 62s;
        QVERIFY(!changeOf(before, now, 2s));
        now.uptime = 360s;
        QVERIFY(!changeOf(before, now, 300s)); // it could not be reached, and went on
        now.uptime = 120s;
        QCOMPARE(changeOf(before, now, 300s), std::optional(ServerEvent::Restarted));
        before.uptime = 1s;
        now.uptime = 2s;
        QVERIFY(!changeOf(before, now, 3s)); // seconds are counted late
    }
};

QTEST_GUILESS_MAIN(TestAlertWords)
#include "tst_alert_words.moc"
