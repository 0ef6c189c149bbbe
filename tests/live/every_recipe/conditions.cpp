// SPDX-License-Identifier: Apache-2.0
// Waiting for a signal of who holds it. Recipes without that: whatIsNotOfferedIsRefused.
#include "every_recipe.h"

namespace lockscope::test {

/// One client that takes the lock, waits for a signal, and gives the lock back.
struct EveryRecipe::Awaiting {
    Awaiting(EveryRecipe& cells, Connection& connection, QByteArray name, Nanos wait = kNever)
        : party(connection, cells.m_name, cells.m_subject, cells.options()),
          condition(connection, *party.lock, cells.m_name),
          thread(std::move(name)) {
        cells.m_runtime.spawn([this, wait]() -> QCoro::Task<> {
            const std::stop_token token = stop.get_token();
            try {
                const auto taken = co_await party.lock->lock(thread, token);
                began = taken && *taken;
                if (began) outcome = co_await condition.await(wait, thread, token);
            } catch (const Cancelled&) {
                cancelled = true;
            }
            held = party.lock->stillMine(thread);
            if (held) co_await party.lock->unlock(thread);
            done = true;
        });
    }
    ~Awaiting() {
        stop.request_stop();
        (void)comesTrue([this] { return done; });
    }
    Awaiting(const Awaiting&) = delete;
    Awaiting& operator=(const Awaiting&) = delete;
    Party party;
    DistributedCondition condition;
    QByteArray thread;
    std::stop_source stop;
    std::expected<bool, LockError> outcome = false;
    bool began = false, cancelled = false, held = false, done = false;
};

/// How many a signal to one, or to all, has woken.
std::expected<int, LockError> EveryRecipe::signal(bool all) {
    Party party = far();
    DistributedCondition condition(*m_far, *party.lock, m_name);
    const auto taken = party.take(Mode::Exclusive, kLong);
    if (!taken) return std::unexpected(taken.error());
    const auto woken = all ? run(condition.signalAll()) : run(condition.signal());
    const auto left = party.unlock(Mode::Exclusive);
    if (!left) return std::unexpected(left.error());
    return woken;
}

/// The next who waits does, by what stands on the server.
bool EveryRecipe::nowWaits(const std::set<QByteArray>& before) {
    Party other = far();
    return comesTrue([&] { return left() != before && !run(other.lock->isLocked()).value_or(true); });
}

void EveryRecipe::aSignalWakesTheFirstAndOneToAllTheRest() {
    if (!m_subject.info->condition || m_subject.mode != Mode::Exclusive) return;
    VERIFY_IS(signal(false), 0);
    Awaiting first(*this, *m_near, "1");
    QVERIFY(nowWaits(m_before));
    auto before = left();
    Awaiting second(*this, *m_third, "2");
    QVERIFY(nowWaits(before));
    before = left();
    Awaiting third(*this, *m_near, "3");
    QVERIFY(nowWaits(before));

    VERIFY_IS(signal(false), 1);
    QVERIFY(comesTrue([&] { return first.done; }));
    VERIFY_IS(first.outcome, true);
    QVERIFY(first.held && !second.done && !third.done);
    VERIFY_IS(signal(true), 2);
    QVERIFY(comesTrue([&] { return second.done && third.done; }));
    VERIFY_IS(second.outcome, true);
    VERIFY_IS(third.outcome, true);
    QVERIFY(second.held && third.held);
    VERIFY_IS(signal(true), 0); // signals are not kept
    VERIFY_FREE();
}

void EveryRecipe::whoAwaitsInVainHoldsItAgain() {
    if (!m_subject.info->condition || m_subject.mode != Mode::Exclusive) return;
    Party stranger = near();
    DistributedCondition condition(*m_near, *stranger.lock, m_name);
    VERIFY_ERROR(run(condition.await(Nanos(0))), NotOwner);
    VERIFY_ERROR(run(condition.signal()), NotOwner);

    Awaiting timed(*this, *m_near, "1", 80ms);
    QVERIFY(comesTrue([&] { return timed.done; }));
    VERIFY_IS(timed.outcome, false);
    QVERIFY(timed.held);

    Awaiting stopped(*this, *m_near, "2");
    QVERIFY(nowWaits(m_before));
    stopped.stop.request_stop();
    QVERIFY(comesTrue([&] { return stopped.done; }));
    QVERIFY(stopped.cancelled && stopped.held);
    VERIFY_FREE();
}

/// As stoppedAnywhereLeavesNothing, from when it has the lock.
void EveryRecipe::stoppedAnywhereInAnAwaitHoldsItAgain() {
    if (!m_subject.info->condition || m_subject.mode != Mode::Exclusive) return;
    constexpr int kMostPieces = 100;
    bool beyond = false;
    for (int piece = 1; piece < kMostPieces && !beyond; ++piece) {
        Awaiting awaiting(*this, *m_near, "1");
        int pieces = 0;
        Nanos latest = m_runtime.monotonic();
        const Pieces counted(m_relays, [&] {
            latest = m_runtime.monotonic();
            if (awaiting.party.lock->isHeld() || pieces > 0) ++pieces;
            if (pieces == piece) awaiting.stop.request_stop();
        });
        const auto waits = [&] { return awaiting.began && m_runtime.monotonic() - latest > kQuiet; };
        QVERIFY(comesTrue([&] { return awaiting.stop.stop_requested() || waits(); }));
        beyond = !awaiting.stop.stop_requested();
        awaiting.stop.request_stop();
        const bool ended = comesTrue([&] { return awaiting.done; });
        const auto where = QStringLiteral("stopped at %1: ended %2, cancelled %3, held %4")
                               .arg(piece)
                               .arg(ended)
                               .arg(awaiting.cancelled)
                               .arg(awaiting.held);
        QVERIFY2(ended && awaiting.cancelled && awaiting.held, qPrintable(where));
        VERIFY_FREE();
    }
    QVERIFY(beyond);
}

} // namespace lockscope::test
