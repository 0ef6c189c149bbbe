// SPDX-License-Identifier: Apache-2.0
// How holds end, and who is told.
#include "client/connect.h"
#include "every_recipe.h"

namespace lockscope::test {

void EveryRecipe::isReleasedOnceAndByItsHolder() {
    const Mode mode = m_subject.mode;
    Party a = near(), b = far();
    VERIFY_ERROR(a.unlock(mode), NotOwner);
    VERIFY_IS(a.take(mode), true);
    VERIFY_ERROR(b.unlock(mode), NotOwner);
    VERIFY_ERROR(a.unlock(mode, "2"), NotOwner);
    QVERIFY(a.lock->stillMine("1", mode));
    VERIFY_IS(run(b.lock->isLocked()), !m_subject.optimistic());
    VERIFY_IS(a.unlock(mode), 0);
    VERIFY_ERROR(a.unlock(mode), NotOwner);
    QCOMPARE(a.heard(Party::Event::Released), 1);
    VERIFY_FREE();
}

void EveryRecipe::whoHasLostItFreesNobodyElses() {
    const Mode mode = m_subject.mode, rival = m_subject.against();
    const bool careless = oddityOf(*m_subject.info) == Oddity::FreesAnybodys;
    Party a = near(), b = far();
    VERIFY_IS(a.take(mode), true);
    VERIFY_IS(run(b.lock->forceUnlock()), true);
    VERIFY_IS(b.take(rival, kLong), true);
    // It is told by now, or believes in it still: nobody renews.
    if (careless)
        VERIFY_IS(a.unlock(mode), 0);
    else
        VERIFY_ERROR(a.unlock(mode), NotOwner);
    VERIFY_IS(run(b.lock->isLocked()), !careless && !m_subject.optimistic());
    QVERIFY(b.lock->stillMine("1", rival));
    const auto left = b.unlock(rival);
    if (!careless) VERIFY_IS(left, 0);
    VERIFY_FREE();
}

void EveryRecipe::isFreedByForceAndTheHolderIsTold() {
    const Mode mode = m_subject.mode, rival = m_subject.against();
    const RecipeInfo& info = *m_subject.info;
    Party a = party(*m_near, options(30s, 100ms)), b = far(), c = party(*m_third, options(30s, 100ms));
    if (!m_subject.optimistic()) VERIFY_IS(run(b.lock->forceUnlock()), false); // nobody has it
    VERIFY_IS(a.take(mode), true);
    const bool two = mode == Mode::Shared;
    if (two) VERIFY_IS(c.take(mode), true);
    VERIFY_IS(run(b.lock->forceUnlock()), true);
    VERIFY_IS(run(b.lock->isLocked()), false);
    VERIFY_IS(b.take(rival, kLong), true);
    if (info.watchdog || info.heldBy == HeldBy::Session || info.heldBy == HeldBy::Connection) {
        QVERIFY(comesTrue([&] { return a.heard(Party::Event::Lost) == 1; }));
        QVERIFY(!a.lock->stillMine("1", mode));
        if (two) QVERIFY(comesTrue([&] { return c.heard(Party::Event::Lost) == 1; }));
        VERIFY_ERROR(a.unlock(mode), NotOwner);
    }
    QVERIFY(b.lock->stillMine("1", rival));
    VERIFY_IS(b.unlock(rival), 0);
    VERIFY_FREE();
}

void EveryRecipe::endsWithItsLeaseAndTheHolderIsTold() {
    const Mode mode = m_subject.mode, rival = m_subject.against();
    if (m_subject.optimistic()) return; // isTakenByOneAtATime: nobody is kept out
    const Nanos lease = m_ground->lease();
    Party a = party(*m_near, options(lease)), b = far();
    VERIFY_IS(a.take(mode), true);
    if (!m_subject.byLease()) { // it has none
        VERIFY_IS(b.take(rival, lease + lease / 4), false);
        QVERIFY(a.lock->stillMine("1", mode));
        VERIFY_IS(a.unlock(mode), 0);
        VERIFY_FREE();
        return;
    }
    QVERIFY(a.lock->remaining("1", mode) > Nanos(0));
    VERIFY_IS(b.take(rival), false);
    bool believed = false;
    const auto waiter = b.waiting(rival);
    QVERIFY(comesTrue([&] {
        if (waiter->done) believed = a.lock->stillMine("1", mode);
        return waiter->done;
    }));
    VERIFY_IS(*waiter->result, true);
    if (!m_subject.info->naive) QVERIFY(!believed); // its end came before
    QVERIFY(comesTrue([&] { return a.heard(Party::Event::Lost) == 1; }));
    QCOMPARE(a.lock->remaining("1", mode), Nanos(0));
    VERIFY_ERROR(a.unlock(mode), NotOwner);
    QVERIFY(b.lock->stillMine("1", rival));
    VERIFY_IS(b.unlock(rival), 0);
    VERIFY_FREE();
}

void EveryRecipe::aLeaseOfItsOwnIsNotRenewedAndThenItIsNotLocked() {
    if (!m_subject.byLease()) return;
    Party a = party(*m_near, options(30s, 100ms)), b = far();
    LockRequest request;
    request.mode = m_subject.mode;
    request.wait = kLong;
    request.lease = m_ground->lease();
    VERIFY_IS(run(a.lock->take(request)), true);
    VERIFY_IS(run(b.lock->isLocked()), true);
    QVERIFY(comesTrue([&] { return a.heard(Party::Event::Lost) == 1; }));
    QCOMPARE(a.heard(Party::Event::Renewed), 0);
    QVERIFY(comesTrue([&] { return !run(b.lock->isLocked()).value_or(true); }));
    VERIFY_FREE();
}

void EveryRecipe::theWatchdogKeepsItAndStopsWithTheHold() {
    if (!m_subject.info->watchdog) return;
    const Mode mode = m_subject.mode, rival = m_subject.against();
    const Nanos lease = m_ground->lease();
    auto a = std::make_unique<Party>(*m_near, m_name, m_subject, options(lease, lease / 4));
    Party b = far();
    VERIFY_IS(a->take(mode), true);
    VERIFY_IS(b.take(rival, 2 * lease + lease / 4), false);
    QVERIFY(a->lock->stillMine("1", mode));
    const int renewed = a->heard(Party::Event::Renewed);
    QVERIFY2(renewed >= 2, qPrintable(QString::number(renewed)));
    VERIFY_IS(a->unlock(mode), 0);
    VERIFY_EMPTY(leftOver());
    // Nothing is renewed any more, and nothing comes back. A driver may look now and then whether its server is there.
    const int before = a->heard(Party::Event::Renewed);
    int pieces = 0;
    {
        const Pieces counted(m_relays, [&pieces] { ++pieces; });
        (void)comesTrue([] { return false; }, std::chrono::ceil<std::chrono::milliseconds>(lease));
    }
    QVERIFY2(pieces < 4, qPrintable(QString::number(pieces)));
    QCOMPARE(a->heard(Party::Event::Renewed), before);
    VERIFY_FREE();

    // And with its lock object: what was held then ends.
    VERIFY_IS(a->take(mode), true);
    a.reset();
    VERIFY_IS(b.take(rival, kLong), true);
    VERIFY_IS(b.unlock(rival), 0);
    VERIFY_FREE();
}

void EveryRecipe::aSessionKeepsItAndGoesOnAfterIt() {
    if (m_subject.info->heldBy != HeldBy::Session) return;
    const Mode mode = m_subject.mode, rival = m_subject.against();
    const auto connection = makeConnection(m_runtime, urlOf(withSession(m_urlByRelay, kKeptSession)));
    VERIFY_OK(run(connection->open()));
    const int connections = connectionsByRelay();
    Party a = party(*connection, options()), b = far();
    VERIFY_IS(a.take(mode), true);
    VERIFY_IS(b.take(rival, kKeptSession * 3 / 2), false);
    QVERIFY(a.lock->stillMine("1", mode));
    VERIFY_IS(a.unlock(mode), 0);
    VERIFY_FREE();
    VERIFY_IS(a.take(mode), true);
    VERIFY_IS(a.unlock(mode), 0);
    QCOMPARE(a.heard(Party::Event::Suspended), 0);
    QCOMPARE(connectionsByRelay(), connections);
    VERIFY_FREE();
}

} // namespace lockscope::test
