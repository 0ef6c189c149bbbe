// SPDX-License-Identifier: Apache-2.0
// Connections that break, and servers that are away for one of the clients: a file has neither. Messages that come
// twice, and clocks that are wrong.
#include "client/connect.h"
#include "every_recipe.h"

#include "scenario/clock_table.h"

namespace lockscope::test {

void EveryRecipe::aBrokenConnectionKeepsOrLosesItAsItSays() {
    if (m_relays.empty()) return;
    const Mode mode = m_subject.mode, rival = m_subject.against();
    Party a = party(*m_near, options(30s, 100ms)), b = far();
    VERIFY_IS(a.take(mode), true);
    cutAll();
    if (m_subject.info->heldBy == HeldBy::Connection) {
        QVERIFY(comesTrue([&] { return a.heard(Party::Event::Lost) == 1; }));
        QVERIFY(!a.lock->stillMine("1", mode));
        VERIFY_IS(b.take(rival, kLong), true);
        VERIFY_ERROR(a.unlock(mode), NotOwner);
        VERIFY_IS(b.unlock(rival), 0);
        VERIFY_FREE();
        return;
    }
    if (m_subject.info->heldBy == HeldBy::Session) {
        QVERIFY(comesTrue([&] { return a.heard(Party::Event::Suspended) > 0 && a.heard(Party::Event::Renewed) > 0; }));
    } else if (m_subject.info->watchdog) {
        const int before = a.heard(Party::Event::Renewed);
        QVERIFY(comesTrue([&] { return a.heard(Party::Event::Renewed) > before + 1; }));
    } else { // nothing is asked meanwhile
        QVERIFY(!comesTrue([&] { return a.heard(Party::Event::Lost) > 0; }, kShortWhile));
    }
    QVERIFY(a.lock->stillMine("1", mode));
    VERIFY_IS(b.take(rival), m_subject.optimistic());
    QCOMPARE(a.heard(Party::Event::Lost), 0);
    VERIFY_IS(a.unlock(mode), 0);
    VERIFY_FREE();
}

void EveryRecipe::whoWaitsOverABrokenConnectionGetsIt() {
    if (m_relays.empty() || m_subject.optimistic()) return;
    const Mode mode = m_subject.mode, rival = m_subject.against();
    Party a = near(), b = far();
    VERIFY_IS(b.take(rival), true);
    const auto waiter = a.waiting(mode);
    QVERIFY(!ends(waiter, 60ms));
    cutAll();
    QVERIFY(!ends(waiter, kShortWhile));
    if (!m_subject.info->naive) { // and when there is no server for a while
        setAway(true);
        QVERIFY(!ends(waiter, kShortWhile));
        setAway(false);
    }
    VERIFY_IS(b.unlock(rival), 0);
    QVERIFY(ends(waiter, kLong));
    VERIFY_IS(*waiter->result, true);
    VERIFY_IS(a.unlock(mode), 0);
    VERIFY_FREE();
}

void EveryRecipe::whoIsCutOffIsToldInTimeAndComesBack() {
    if (m_relays.empty() || m_subject.optimistic()) return;
    const Mode mode = m_subject.mode, rival = m_subject.against();
    const Nanos lease = m_ground->lease();
    const auto connection = makeConnection(m_runtime, urlOf(withSession(m_urlByRelay, kShortSession)));
    VERIFY_OK(run(connection->open()));
    Party a = party(*connection, options(lease, lease / 4)), b = far();
    VERIFY_IS(a.take(mode), true);
    setAway(true);
    if (m_subject.info->heldBy == HeldBy::Nothing) { // until somebody frees it
        VERIFY_IS(b.take(rival, kShortWhile), false);
        setAway(false);
        VERIFY_IS(a.unlock(mode), 0);
        VERIFY_FREE();
        return;
    }
    bool believed = false;
    const auto waiter = b.waiting(rival);
    const bool got = comesTrue(
        [&] {
            if (waiter->done) believed = a.lock->stillMine("1", mode);
            return waiter->done;
        },
        kLong + 5s);
    setAway(false);
    QVERIFY(got);
    VERIFY_IS(*waiter->result, true);
    QVERIFY(comesTrue([&] { return a.heard(Party::Event::Lost) == 1; }));
    // A connection's end is seen on both sides, on none of them first; and memcached's own clock may be ahead.
    if (!m_subject.info->naive && m_subject.info->heldBy != HeldBy::Connection) QVERIFY(!believed);
    VERIFY_ERROR(a.unlock(mode), NotOwner);
    QVERIFY(b.lock->stillMine("1", rival));
    const auto again = a.waiting(mode);
    QVERIFY(!ends(again, 60ms));
    VERIFY_IS(b.unlock(rival), 0);
    QVERIFY(ends(again, kLong));
    VERIFY_IS(*again->result, true);
    VERIFY_IS(a.unlock(mode), 0);
    VERIFY_FREE();
}

void EveryRecipe::aWakeUpThatComesTwiceDoesNoHarm() {
    if (!m_ground->wakes(*m_subject.info)) return;
    const Mode rival = m_subject.against();
    setDoubling(true);
    Party b = far();
    std::unique_ptr<Party> parties[] = {std::make_unique<Party>(*m_near, m_name, m_subject, options()),
                                        std::make_unique<Party>(*m_near, m_name, m_subject, options())};
    VERIFY_IS(b.take(rival), true);
    std::shared_ptr<Ending<std::expected<bool, LockError>>> waiters[2];
    for (int i = 0; i < 2; ++i) {
        const auto before = left();
        waiters[i] = parties[i]->waiting(rival, {}, QByteArray::number(i));
        if (m_subject.info->fair || i == 0) QVERIFY(comesTrue([&] { return left() != before; }));
    }
    VERIFY_IS(b.unlock(rival), 0);
    QVERIFY(comesTrue([&] { return waiters[0]->done || waiters[1]->done; }));
    const int first = waiters[0]->done ? 0 : 1, second = 1 - first;
    VERIFY_IS(*waiters[first]->result, true);
    // The other is woken as well, or not yet: it must not take that for its turn, nor ask on and on.
    int pieces = 0;
    {
        const Pieces counted(m_relays, [&pieces] { ++pieces; });
        QVERIFY(!ends(waiters[second], kShortWhile));
    }
    QVERIFY2(pieces < 40, qPrintable(QString::number(pieces)));
    QVERIFY(parties[first]->lock->stillMine(QByteArray::number(first), rival));
    VERIFY_IS(b.take(rival), false);
    VERIFY_IS(parties[first]->unlock(rival, QByteArray::number(first)), 0);
    QVERIFY(ends(waiters[second], kLong));
    VERIFY_IS(*waiters[second]->result, true);
    VERIFY_IS(parties[second]->unlock(rival, QByteArray::number(second)), 0);
    QVERIFY(*m_doubled > 0);
    VERIFY_FREE();
}

/// By an hour: a client that comes upon somebody's hold, and one whose hold others come upon.
void EveryRecipe::aWrongClockOfAClientBreaksOnlyWhatTheTableSays() {
    if (m_subject.optimistic()) return; // it keeps nobody out anyway
    const Mode mode = m_subject.mode, rival = m_subject.against();
    for (const ClockJump& jump : kClockJumps) {
        if (jump.whose != ClockJump::Whose::Client) continue;
        EventLoopRuntime runtime;
        runtime.setWallOffset(std::chrono::duration_cast<std::chrono::milliseconds>(jump.by));
        const auto connection = makeConnection(runtime, urlOf(m_ground->url()));
        VERIFY_OK(run(connection->open()));
        Party wrong = party(*connection, options()), right = far();
        bool breaks = false;
        VERIFY_IS(right.take(mode), true);
        const auto stolen = wrong.take(rival);
        QVERIFY2(stolen, stolen ? "" : qPrintable(stolen.error().message));
        if (*stolen) VERIFY_IS(wrong.unlock(rival), 0);
        breaks |= *stolen;
        if (right.unlock(mode) != 0) QVERIFY(*stolen);
        VERIFY_IS(wrong.take(mode), true);
        const auto lost = right.take(rival);
        QVERIFY2(lost, lost ? "" : qPrintable(lost.error().message));
        if (*lost) VERIFY_IS(right.unlock(rival), 0);
        breaks |= *lost;
        if (wrong.unlock(mode) != 0) QVERIFY(*lost);
        QVERIFY2(breaks == clockBreaks(m_subject.info->id, jump), jump.name);
    }
    VERIFY_FREE();
}

} // namespace lockscope::test
