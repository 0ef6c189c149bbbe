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
/// piece from then on. What is wrong; empty when nothing is.
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

void EveryRecipe::stoppedAnywhereLeavesNothing() {
    Struck struck;
    for (int piece = kBefore; piece < kMostPieces && !struck.beyond; ++piece) {
        Party a = near();
        const QString wrong = stopOnce(a, piece, struck);
        QVERIFY2(wrong.isEmpty(), qPrintable(QStringLiteral("stopped at %1: %2").arg(piece).arg(wrong)));
        QVERIFY(!a.lock->isHeld());
        VERIFY_FREE();
    }
    QVERIFY(struck.beyond && struck.stopped > 0);
}

void EveryRecipe::stoppedAnywhereInLineLeavesNothing() {
    if (m_subject.optimistic()) return; // nobody waits
    const Mode rival = m_subject.against();
    Struck struck;
    for (int piece = kBefore; piece < kMostPieces && !struck.beyond; ++piece) {
        Party a = near(), b = far();
        VERIFY_IS(b.take(rival), true);
        const QString wrong = stopOnce(a, piece, struck);
        QVERIFY2(wrong.isEmpty(), qPrintable(QStringLiteral("stopped at %1: %2").arg(piece).arg(wrong)));
        QVERIFY(!a.lock->isHeld() && b.lock->stillMine("1", rival));
        VERIFY_IS(b.unlock(rival), 0);
        VERIFY_FREE();
    }
    QVERIFY(struck.beyond && struck.stopped > 0);
}

void EveryRecipe::stoppedAnywhereAsItsTurnComesLeavesNothing() {
    if (m_subject.optimistic()) return;
    const Mode rival = m_subject.against();
    Struck struck;
    for (int piece = kBefore; piece < kMostPieces && !struck.beyond; ++piece) {
        Party a = near(), b = far();
        VERIFY_IS(b.take(rival), true);
        const QString wrong = stopOnce(a, piece, struck, &b);
        QVERIFY2(wrong.isEmpty(), qPrintable(QStringLiteral("stopped at %1: %2").arg(piece).arg(wrong)));
        QVERIFY(!a.lock->isHeld() && !b.lock->isHeld());
        VERIFY_FREE();
    }
    QVERIFY(struck.beyond && struck.stopped > 0);
}

void EveryRecipe::stoppedReentryKeepsTheHold() {
    if (!m_subject.info->reentrant) return;
    const Mode mode = m_subject.mode;
    Struck struck;
    for (int piece = kBefore; piece < kMostPieces && !struck.beyond; ++piece) {
        Party a = near(), b = far();
        VERIFY_IS(a.take(mode), true);
        const QString wrong = stopOnce(a, piece, struck);
        QVERIFY2(wrong.isEmpty(), qPrintable(QStringLiteral("stopped at %1: %2").arg(piece).arg(wrong)));
        QVERIFY(a.lock->stillMine("1", mode));
        QCOMPARE(a.lock->holdCount("1", mode), 1);
        VERIFY_IS(b.take(m_subject.against()), false);
        VERIFY_IS(a.unlock(mode), 0);
        VERIFY_FREE();
    }
    QVERIFY(struck.beyond);
}

} // namespace lockscope::test
