// SPDX-License-Identifier: Apache-2.0
// Connections that break, and servers that are away for one of the clients. A file has neither.
#include "every_recipe.h"

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
    const auto connection = makeConnection(m_runtime, urlOf(withShortSession(m_urlByRelay)));
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

} // namespace lockscope::test
