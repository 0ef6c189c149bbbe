// SPDX-License-Identifier: Apache-2.0
#include "sim/client_program.h"

namespace lockscope::sim {

namespace {

/// Even a process with nothing else to do takes a moment for a round and for a write. Without it, rounds on a wire
/// without latency would take no time at all, and virtual time would stand still.
constexpr Nanos kShortestRound = 1ms, kShortestPause = 100us;
/// Hung work looks this often whether it may go on.
constexpr Nanos kHang = 100ms;

/// Work takes so long, and then as long as it hangs.
QCoro::Task<> pass(ProgramContext& context, Nanos time) {
    co_await context.runtime.sleep(time);
    while (context.workHangs && context.workHangs())
        co_await context.runtime.sleep(kHang);
}

/// Writes now and then until the hold time is over, or until the lock is known to be lost, if the client heeds that.
QCoro::Task<> work(ProgramContext& context, DistributedLock& lock) {
    const scenario::Workload workload = context.settings.workload;
    Runtime& runtime = context.runtime;
    const Nanos until = laterBy(runtime.monotonic(), runtime.random(workload.hold.low, workload.hold.high));
    const std::int64_t token = lock.token();
    // stillMine() looks at the own clock, holdCount() does not: after a pause the news of the loss may still be on its
    // way.
    const auto mayGoOn = [&] { return !workload.stopOnLoss || lock.stillMine(); };
    while (mayGoOn()) {
        const Nanos left = until - runtime.monotonic();
        const Nanos nap = std::max(runtime.random(workload.writeEvery.low, workload.writeEvery.high), kShortestPause);
        if (left <= nap) {
            if (left > Nanos(0)) co_await pass(context, left);
            break;
        }
        co_await pass(context, nap);
        // The check and the write are two steps, as in every real program: what happens between them is the lesson.
        lock.atWork();
        if (mayGoOn()) co_await context.resource.write(context.thread, token);
    }
}

} // namespace

void RecipeTold::tell(trace::Recorder& recorder, trace::EntityId thread, trace::EntityId lock,
                      const QByteArray& recipe) {
    if (recipe == m_told && lock == m_lock) return;
    m_told = recipe;
    m_lock = lock;
    recorder.emit(trace::EventKind::AsksBy, thread, lock, 0, recorder.trace().text(recipe));
}

QCoro::Task<> runClientProgram(ProgramContext context) {
    Runtime& runtime = context.runtime;
    for (;;) {
        const scenario::Range think = context.settings.workload.think;
        const Nanos pause = std::max(runtime.random(think.low, think.high), kShortestRound);
        co_await runtime.sleep(pause);
        const std::unique_ptr<DistributedLock> lock = context.makeLock();
        context.doing(lock.get(), Doing::Asking);
        const auto taken = co_await lock->tryLockFor(context.settings.lock.wait);
        if (taken && *taken) {
            context.doing(lock.get(), Doing::Working);
            co_await work(context, *lock);
            // A hold past its deadline is not released: the lock may be another client's by now. The loss is told in a
            // moment.
            if (lock->holdCount() > 0 && !lock->stillMine()) co_await runtime.sleep(kShortestPause);
            if (lock->holdCount() > 0) co_await lock->unlock();
        }
        context.doing(nullptr, Doing::Nothing);
    }
}

} // namespace lockscope::sim
