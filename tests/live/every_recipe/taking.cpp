// SPDX-License-Identifier: Apache-2.0
// Takings: which client gets the lock, and when.
#include "every_recipe.h"

namespace lockscope::test {

void EveryRecipe::isTakenByOneAtATime() {
    const Mode mode = m_subject.mode, rival = m_subject.against();
    const bool keepsOut = !m_subject.optimistic();
    Party a = near(), b = far();
    VERIFY_IS(run(b.lock->isLocked()), false);
    VERIFY_IS(a.take(mode), true);
    QVERIFY(a.lock->stillMine("1", mode) && a.lock->isHeld());
    QCOMPARE(a.lock->holdCount("1", mode), 1);
    VERIFY_IS(run(b.lock->isLocked()), keepsOut);

    Nanos begun = m_runtime.monotonic();
    VERIFY_IS(b.take(rival), !keepsOut);
    QVERIFY(m_runtime.monotonic() - begun < kLong);
    if (keepsOut) {
        begun = m_runtime.monotonic();
        VERIFY_IS(b.take(rival, 80ms), false);
        QVERIFY(m_runtime.monotonic() - begun >= 80ms);
        QVERIFY(m_runtime.monotonic() - begun < kLong);
        QVERIFY(!b.lock->isHeld());
    }
    QVERIFY(a.lock->stillMine("1", mode));
    VERIFY_IS(a.unlock(mode), 0);
    QVERIFY(!a.lock->isHeld());
    if (!keepsOut) VERIFY_ERROR(b.unlock(rival), NotOwner); // the other was quicker
    VERIFY_IS(run(b.lock->isLocked()), false);
    VERIFY_FREE();
}

void EveryRecipe::whoWaitsGetsItAfterTheRelease() {
    const Mode mode = m_subject.mode, rival = m_subject.against();
    Party a = near(), b = far();
    VERIFY_IS(b.take(rival), true);
    const auto waiter = a.waiting(mode);
    QCOMPARE(ends(waiter, 60ms), m_subject.optimistic());
    VERIFY_IS(b.unlock(rival), 0);
    QVERIFY(ends(waiter, kLong));
    VERIFY_IS(*waiter->result, true);
    if (m_subject.optimistic())
        VERIFY_ERROR(a.unlock(mode), NotOwner);
    else
        VERIFY_IS(a.unlock(mode), 0);
    VERIFY_FREE();
}

void EveryRecipe::reentersWhereItSaysSo() {
    const Mode mode = m_subject.mode, rival = m_subject.against();
    if (m_subject.optimistic()) return; // a second taking is a second reading: isTakenByOneAtATime
    Party a = near(), b = far();
    VERIFY_IS(a.take(mode), true);
    VERIFY_IS(a.take(mode), m_subject.info->reentrant);
    QCOMPARE(a.lock->holdCount("1", mode), m_subject.info->reentrant ? 2 : 1);
    QCOMPARE(a.heard(Party::Event::Reentered), m_subject.info->reentrant ? 1 : 0);
    VERIFY_IS(a.take(rival, Nanos(0), "2"), false); // another thread of the same client
    if (m_subject.info->reentrant) {
        VERIFY_IS(a.unlock(mode), 1);
        VERIFY_IS(b.take(rival), false);
    }
    QVERIFY(a.lock->stillMine("1", mode));
    VERIFY_IS(a.unlock(mode), 0);
    VERIFY_FREE();
}

void EveryRecipe::tokensGrowWhereThereAreSome() {
    const Mode mode = m_subject.mode;
    Party a = near(), b = far();
    std::int64_t last = 0;
    for (Party* const party : {&a, &b, &b, &a}) {
        VERIFY_IS(party->take(mode, kLong), true);
        const std::int64_t token = party->lock->token("1", mode);
        if (m_subject.info->token) {
            QVERIFY2(token > last, qPrintable(QStringLiteral("%1 after %2").arg(token).arg(last)));
        } else {
            QCOMPARE(token, 0);
        }
        last = token;
        VERIFY_IS(party->unlock(mode), 0);
    }
    VERIFY_FREE();
}

void EveryRecipe::turnsAreKeptWhereItSaysSo() {
    const Mode rival = m_subject.against();
    if (m_subject.optimistic()) return; // nobody waits
    const Subject& subject = m_subject;
    Party holder = far();
    VERIFY_IS(holder.take(rival), true);
    Connection* const connections[] = {m_near.get(), m_far.get(), m_third.get()};
    std::vector<std::unique_ptr<Party>> parties;
    std::vector<std::shared_ptr<Ending<std::expected<bool, LockError>>>> waiters;
    for (int i = 0; i < 3; ++i) {
        const auto before = left();
        parties.push_back(std::make_unique<Party>(*connections[i], m_name, subject, options()));
        waiters.push_back(parties.back()->waiting(rival, {}, QByteArray::number(7 + i)));
        // In line only when the server says so.
        if (subject.info->fair) QVERIFY(comesTrue([&] { return left() != before; }));
    }
    VERIFY_IS(holder.unlock(rival), 0);
    for (int turn = 0; turn < 3; ++turn) {
        int next = -1;
        QVERIFY(comesTrue([&] {
            for (int i = 0; i < 3 && next < 0; ++i)
                if (waiters[std::size_t(i)] && waiters[std::size_t(i)]->done) next = i;
            return next >= 0;
        }));
        if (subject.info->fair) QCOMPARE(next, turn);
        VERIFY_IS(*waiters[std::size_t(next)]->result, true);
        waiters[std::size_t(next)].reset();
        for (const auto& other : waiters)
            QVERIFY(!other || !other->done); // one at a time
        VERIFY_IS(parties[std::size_t(next)]->unlock(rival, QByteArray::number(7 + next)), 0);
    }
    VERIFY_FREE();
}

void EveryRecipe::whatIsNotOfferedIsRefused() {
    Party a = near();
    for (const Mode mode : {Mode::Exclusive, Mode::Shared, Mode::Permit}) {
        if (offers(*m_subject.info, mode) && m_kind.takes(*m_subject.info, mode)) continue;
        VERIFY_ERROR(a.take(mode), NotSupported); // by the recipe anywhere, or by these servers
    }
    if (!m_subject.info->condition) {
        DistributedCondition condition(*m_near, *a.lock, m_name);
        VERIFY_IS(a.take(m_subject.mode), true);
        VERIFY_ERROR(run(condition.await(Nanos(0))), NotSupported);
        VERIFY_IS(a.unlock(m_subject.mode), 0);
    }
    VERIFY_FREE();
}

void EveryRecipe::readersReadTogetherAndWritersAlone() {
    if (m_subject.mode != Mode::Shared) return;
    Party a = near(), b = far(), c = party(*m_third, options());
    VERIFY_IS(a.take(Mode::Shared), true);
    VERIFY_IS(a.take(Mode::Shared, Nanos(0), "2"), true);
    VERIFY_IS(b.take(Mode::Shared), true);
    VERIFY_IS(c.take(Mode::Exclusive), false);
    VERIFY_IS(a.unlock(Mode::Shared), 0);
    VERIFY_IS(a.unlock(Mode::Shared, "2"), 0);
    VERIFY_IS(c.take(Mode::Exclusive, 80ms), false);
    QVERIFY(b.lock->stillMine("1", Mode::Shared));
    VERIFY_IS(b.unlock(Mode::Shared), 0);

    VERIFY_IS(c.take(Mode::Exclusive, kLong), true);
    VERIFY_IS(a.take(Mode::Shared), false);
    VERIFY_IS(b.take(Mode::Exclusive), false);
    const auto first = a.waiting(Mode::Shared), second = b.waiting(Mode::Shared);
    VERIFY_IS(c.unlock(Mode::Exclusive), 0);
    QVERIFY(ends(first, kLong) && ends(second, kLong)); // both at once
    VERIFY_IS(*first->result, true);
    VERIFY_IS(*second->result, true);
    VERIFY_IS(a.unlock(Mode::Shared), 0);
    VERIFY_IS(b.unlock(Mode::Shared), 0);
    VERIFY_FREE();
}

void EveryRecipe::writersAreNotOvertakenWhereItIsFair() {
    if (m_subject.mode != Mode::Shared || !m_subject.info->fair) return;
    Party a = near(), b = far(), c = party(*m_third, options());
    VERIFY_IS(a.take(Mode::Shared), true);
    const auto before = left();
    const auto writer = b.waiting(Mode::Exclusive);
    QVERIFY(comesTrue([&] { return left() != before; }));
    VERIFY_IS(c.take(Mode::Shared), false);
    const auto reader = c.waiting(Mode::Shared);
    VERIFY_IS(a.unlock(Mode::Shared), 0);
    QVERIFY(ends(writer, kLong));
    VERIFY_IS(*writer->result, true);
    QVERIFY(!reader->done);
    VERIFY_IS(b.unlock(Mode::Exclusive), 0);
    QVERIFY(ends(reader, kLong));
    VERIFY_IS(*reader->result, true);
    VERIFY_IS(c.unlock(Mode::Shared), 0);
    VERIFY_FREE();
}

void EveryRecipe::asManyHoldAsThereArePermits() {
    if (m_subject.mode != Mode::Permit) return;
    const QByteArray name = m_name + "-of-three";
    Party a(*m_near, name, m_subject, options(), 3), b(*m_far, name, m_subject, options(), 3);
    VERIFY_IS(a.take(Mode::Permit), true);
    VERIFY_IS(a.take(Mode::Permit), true);
    VERIFY_IS(b.take(Mode::Permit), true);
    VERIFY_IS(b.take(Mode::Permit), false);
    const auto fourth = b.waiting(Mode::Permit, {}, "2");
    QVERIFY(!ends(fourth, 60ms));
    VERIFY_IS(a.unlock(Mode::Permit), 1);
    QVERIFY(ends(fourth, kLong));
    VERIFY_IS(*fourth->result, true);
    VERIFY_IS(b.unlock(Mode::Permit), 0);
    // All or none: one is free, two are asked for.
    LockRequest two;
    two.mode = Mode::Permit;
    two.permits = 2;
    two.wait = Nanos(0);
    VERIFY_IS(run(b.lock->take(two)), false);
    VERIFY_IS(a.unlock(Mode::Permit), 0);
    VERIFY_IS(run(b.lock->take(two)), true);
    VERIFY_IS(a.take(Mode::Permit), false);
    VERIFY_IS(b.unlock(Mode::Permit), 0);
    VERIFY_IS(b.unlock(Mode::Permit, "2"), 0);
    VERIFY_IS(run(b.lock->isLocked()), false);
}

} // namespace lockscope::test
