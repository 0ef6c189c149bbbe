// SPDX-License-Identifier: Apache-2.0
// Holds and tokens that several servers lost together: which servers are named, and how they lost them.
#include "hand_written.h"
#include "trace/death.h"
#include "trace/decider.h"

using namespace lockscope;
using namespace lockscope::verdict;
using Kind = trace::EventKind;
using FreedBy = trace::FreedBy;

namespace {

/// A lock that three servers keep together: its copies on them.
struct KeptByThree : HandWritten {
    std::vector<trace::EntityId> nodes, copies;
    KeptByThree() {
        lock = trace->intern(trace::EntityKind::Lock, "orders");
        for (const char* id : {"redis-1", "redis-2", "redis-3"}) {
            nodes.push_back(trace->intern(trace::EntityKind::Node, id));
            copies.push_back(trace->intern(trace::EntityKind::Lock, "orders", nodes.back(), lock));
        }
        started();
    }
    void heldByAll(int at, trace::EntityId owner, int deadline, std::int64_t token = 0) {
        request(at, owner);
        for (const trace::EntityId copy : copies)
            add(at, Kind::RecordHeld, owner, copy, ns(deadline), 1);
        held(at, owner, deadline);
        granted(at, owner, token);
    }
    void emptied(int at, std::size_t i, trace::EntityId owner) {
        add(at, Kind::SettingChanged, nodes[i], 0, 0, trace->text(trace::kAllDeleted.toByteArray()));
        add(at, Kind::RecordFreed, 0, copies[i], 0, owner, std::uint8_t(FreedBy::NodeLoss));
    }
};

} // namespace

class TestVerdictLosses : public QObject {
    Q_OBJECT
    static QString first(const HandWritten& w, Invariant invariant) {
        const auto found = w.violations(invariant);
        return found.empty() ? QStringLiteral("no violation") : explain(found[0], *w.trace);
    }
    static bool says(const QString& text, const char* words) {
        if (!text.contains(QLatin1String(words))) qWarning("%s", qPrintable(text));
        return text.contains(QLatin1String(words));
    }

private Q_SLOTS:
    void theServersThatForgotAreNamed() {
        KeptByThree w;
        const auto forgets = [&](int at, std::size_t i) {
            w.add(at, Kind::RecordFreed, 0, w.copies[i], 0, w.a, std::uint8_t(FreedBy::NodeLoss));
        };
        w.heldByAll(1000, w.a, 9000);
        forgets(2000, 0);
        forgets(3000, 2);
        w.freed(3000, FreedBy::NodeLoss, 0, w.a);
        w.take(4000, w.b, 9000);
        w.trace->reach(ms(5000));
        QVERIFY(says(first(w, Invariant::MutualExclusion),
                     "redis-1 and redis-3 lost their memory of the lock of A, the last one at 3.0 s, and the lock went "
                     "to B at 4.0 s."));
    }

    /// A renewal does not write an emptied server's copy anew, so that server has its part in the loss.
    void allServersThatWereEmptiedAreNamed() {
        const auto tell = [](int again) {
            KeptByThree w;
            w.heldByAll(1000, w.a, 9000);
            w.emptied(2000, 0, w.a);
            if (again) w.add(again, Kind::RecordHeld, w.a, w.copies[0], HandWritten::ns(9000), 1);
            w.renewed(2500, w.a, 10500);
            w.emptied(3000, 2, w.a);
            w.freed(3000, FreedBy::NodeLoss, 0, w.a);
            w.take(4000, w.b, 9000);
            w.trace->reach(ms(5000));
            return first(w, Invariant::MutualExclusion);
        };
        QVERIFY(says(tell(0), "All data of redis-1 and redis-3 were deleted, the last ones at 3.0 s, and with them the "
                              "lock of A: it went to B at 4.0 s."));
        // A server that had the lock again has no part in it.
        QVERIFY(says(tell(2200), "All data of redis-3 were deleted at 3.0 s. Too few servers were left"));
    }

    void aServerWhereTheLeaseHadEndedIsNamed() {
        KeptByThree w;
        w.heldByAll(1000, w.a, 9000);
        w.add(2000, Kind::RecordFreed, 0, w.copies[1], 0, w.a, std::uint8_t(FreedBy::Expiry));
        w.emptied(3000, 0, w.a);
        w.freed(3000, FreedBy::NodeLoss, 0, w.a);
        w.take(4000, w.b, 9000);
        w.trace->reach(ms(5000));
        QVERIFY(says(first(w, Invariant::MutualExclusion),
                     "All data of redis-1 were deleted at 3.0 s. Too few servers were left that knew of the lock of A, "
                     "and it went to B at 4.0 s. On redis-2 its lease had ended at 2.0 s."));
    }

    void allServersThatLostTokensAreNamed() {
        const auto tell = [](int second, bool crash) {
            KeptByThree w;
            w.take(1000, w.a, 9000, 34);
            w.give(2000, w.a);
            for (const auto& [at, i] : {std::pair(2500, 0), std::pair(second, 2)}) {
                w.add(at, Kind::NodeKilled, w.nodes[std::size_t(i)], 0, crash ? trace::kPowerLost : 0);
                w.add(at, Kind::NodeStarted, w.nodes[std::size_t(i)]);
            }
            w.take(3000, w.b, 9000, 12);
            return first(w, Invariant::TokenOrder);
        };
        QVERIFY(says(tell(2600, false), "redis-1 and redis-3 died, the last one at 2.600 s, and when they were back "
                                        "they did not know of the newest tokens."));
        QVERIFY(says(tell(2500, false), "redis-1 and redis-3 died at 2.500 s, and when they were back they"));
        QVERIFY(says(tell(2500, true), "The machines of redis-1 and redis-3 went off at 2.500 s, and the newest"));
    }

    /// Their loss shows only when they decide again, and happened as they died.
    void serversThatDiedAreToldSo() {
        const auto tell = [](int second) {
            KeptByThree w;
            w.heldByAll(1000, w.a, 9000);
            for (const auto& [at, i] : {std::pair(2000, 0), std::pair(second, 2)}) {
                w.add(at, Kind::NodeKilled, w.nodes[std::size_t(i)], 0, 0, 0, trace::kFault);
                w.add(at, Kind::NodeStarted, w.nodes[std::size_t(i)]);
            }
            for (const std::size_t i : {0, 2})
                w.add(3000, Kind::RecordFreed, 0, w.copies[i], 0, w.a, std::uint8_t(FreedBy::NodeLoss));
            w.freed(3000, FreedBy::NodeLoss, 0, w.a);
            w.take(4000, w.b, 9000);
            w.trace->reach(ms(5000));
            return first(w, Invariant::MutualExclusion);
        };
        QVERIFY(
            says(tell(2000), "redis-1 and redis-3 died at 2.0 s with the lock of A, and the lock went to B at 4.0 s."));
        QVERIFY(says(tell(2200),
                     "redis-1 and redis-3 died with the lock of A, the last one at 2.2 s, and the lock went "
                     "to B at 4.0 s."));
    }

    /// Servers that died at once are enough: the data of another one may have outlived its death.
    void noMoreServersThanItTakesAreNamed() {
        KeptByThree w;
        w.take(1000, w.a, 9000, 34);
        w.give(2000, w.a);
        for (const auto& [at, i] : {std::pair(2100, 1), std::pair(2500, 0), std::pair(2500, 2)}) {
            w.add(at, Kind::NodeKilled, w.nodes[std::size_t(i)]);
            w.add(at, Kind::NodeStarted, w.nodes[std::size_t(i)]);
        }
        w.take(3000, w.b, 9000, 12);
        QVERIFY(says(first(w, Invariant::TokenOrder), "redis-1 and redis-3 died at 2.500 s, and when they were back"));
    }
};

QTEST_GUILESS_MAIN(TestVerdictLosses)
#include "tst_verdict_losses.moc"
