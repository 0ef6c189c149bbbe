// SPDX-License-Identifier: Apache-2.0
// A stop request at every point of a taking. Takings go on when something comes from the server or has gone to it: so
// the stop strikes as the first piece of bytes passes the relay, then as the second does, until the taking is through.
#include "every_recipe.h"

namespace lockscope::test {

namespace {
constexpr int kBefore = -1, kAtOnce = 0; ///< the first is piece 1
constexpr int kMostPieces = 100;
constexpr int kTurns = 25; ///< of the event loop, where there is nothing between client and server
} // namespace

/// One taking, stopped as that piece passes. With a `holder`, who lets go when the taking has got in line, it is that
/// piece from then on. Returns the defect; empty: none.
QString EveryRecipe::stopOnce(Party& a, int piece, Struck& struck, Party* holder) {
    std::stop_source source;
    int pieces = 0;
    Nanos latest = m_runtime.monotonic();
    bool counting = !holder;
    const auto onePiece = [&] {
        latest = m_runtime.monotonic();
        if (counting && ++pieces == piece) source.request_stop();
    };
    const auto quiet = [&] { return m_runtime.monotonic() - latest > kQuiet; };
    const Pieces counted(m_relays, onePiece);
    if (piece == kBefore && !holder) source.request_stop();
    const auto waiter = a.waiting(m_subject.mode, source.get_token());
    std::shared_ptr<Ending<std::expected<int, LockError>>> letGo;
    if (holder) {
        (void)comesTrue(quiet);
        counting = true;
        if (piece == kBefore) source.request_stop();
        letGo = beside(holder->lock->unlock("1", m_subject.against()));
    }
    if (piece == kAtOnce) source.request_stop();
    const bool over = comesTrue([&] {
        if (m_relays.empty() && !waiter->done) onePiece();
        const bool through = m_relays.empty() ? pieces > kTurns : quiet() && !holder;
        return waiter->done || source.stop_requested() || through;
    });
    struck.beyond = !source.stop_requested();
    source.request_stop();
    const bool ended = ends(waiter, kLong);
    if (letGo && (!ends(letGo, kLong) || !*letGo->result)) return QStringLiteral("the holder cannot let go");
    if (!over) return QStringLiteral("neither stopped nor through");
    if (!ended) return QStringLiteral("it goes on");
    if (waiter->cancelled) {
        ++struck.stopped;
        return *waiter->cancelled == Cancelled::Why::Stopped ? QString() : QStringLiteral("killed");
    }
    if (!*waiter->result) return waiter->result->error().message;
    if (!**waiter->result) return QStringLiteral("neither stopped nor granted");
    const auto left = a.unlock(m_subject.mode);
    return left ? QString() : left.error().message;
}

/// Takings that are stopped a piece later each time, until one is through before: kept by a watchdog, where there is
/// one, and by nothing but their lease. Returns the defect; empty: none.
QString EveryRecipe::stopEverywhere(const std::function<QString(Party& a, int piece, Struck& struck)>& once) {
    for (const Nanos watchdog : {Nanos(0), Nanos(10s)}) {
        if (watchdog > Nanos(0) && !m_subject.info->watchdog) continue;
        Struck struck;
        for (int piece = kBefore; !struck.beyond; ++piece) {
            if (piece == kMostPieces) return QStringLiteral("it never gets through");
            Party a = party(*m_near, options(30s, watchdog));
            QString wrong = once(a, piece, struck);
            if (wrong.isEmpty() && a.lock->isHeld()) wrong = QStringLiteral("it is still held");
            if (wrong.isEmpty()) wrong = notFree();
            if (!wrong.isEmpty()) return QStringLiteral("stopped at %1: %2").arg(piece).arg(wrong);
        }
        if (struck.stopped == 0) return QStringLiteral("nothing was stopped");
    }
    return {};
}

void EveryRecipe::stoppedAnywhereLeavesNothing() {
    VERIFY_EMPTY(stopEverywhere([this](Party& a, int piece, Struck& struck) { return stopOnce(a, piece, struck); }));
}

void EveryRecipe::stoppedAnywhereInLineLeavesNothing() {
    if (m_subject.optimistic()) return; // nobody waits
    const Mode rival = m_subject.against();
    VERIFY_EMPTY(stopEverywhere([&](Party& a, int piece, Struck& struck) {
        Party b = far();
        if (!b.take(rival).value_or(false)) return QStringLiteral("it was not free");
        const QString wrong = stopOnce(a, piece, struck);
        if (!wrong.isEmpty()) return wrong;
        if (!b.lock->stillMine("1", rival)) return QStringLiteral("the holder has lost it");
        return b.unlock(rival) == 0 ? QString() : QStringLiteral("the holder cannot let go");
    }));
}

void EveryRecipe::stoppedAnywhereAsItsTurnComesLeavesNothing() {
    if (m_subject.optimistic()) return;
    const Mode rival = m_subject.against();
    VERIFY_EMPTY(stopEverywhere([&](Party& a, int piece, Struck& struck) {
        Party b = far();
        if (!b.take(rival).value_or(false)) return QStringLiteral("it was not free");
        return stopOnce(a, piece, struck, &b);
    }));
}

void EveryRecipe::stoppedReentryKeepsTheHold() {
    if (!m_subject.info->reentrant) return;
    const Mode mode = m_subject.mode;
    VERIFY_EMPTY(stopEverywhere([&](Party& a, int piece, Struck& struck) {
        Party b = far();
        if (!a.take(mode).value_or(false)) return QStringLiteral("it was not free");
        const QString wrong = stopOnce(a, piece, struck);
        if (!wrong.isEmpty()) return wrong;
        if (!a.lock->stillMine("1", mode) || a.lock->holdCount("1", mode) != 1)
            return QStringLiteral("the first hold is gone, or the second is not");
        if (b.take(m_subject.against()).value_or(true)) return QStringLiteral("others get it");
        if (piece == kBefore) ++struck.stopped; // some re-enter by counting alone
        return a.unlock(mode) == 0 ? QString() : QStringLiteral("a hold is left over");
    }));
}

} // namespace lockscope::test
