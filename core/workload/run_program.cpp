// SPDX-License-Identifier: Apache-2.0
#include "workload/run_program.h"

#include "workload/lock_plan.h"

#include <algorithm>
#include <iterator>

namespace lockscope::workload {

using recipes::Mode;
using scenario::ProgramStep;
using scenario::Range;

namespace {

/// Even a process with nothing else to do takes a moment for a round and for a write. Without it, rounds on a wire
/// without latency would take no time at all, and virtual time would stand still.
constexpr Nanos kShortestRound = 1ms, kShortestPause = 100us;
/// Hung work looks this often whether it may go on.
constexpr Nanos kHang = 100ms;

const QByteArray kThread = "1";

/// One pass through the program's steps.
class Round {
public:
    explicit Round(ProgramContext& context) : m(context) {}

    /// False: the round is over.
    QCoro::Task<bool> run(const ProgramStep& step) {
        switch (step.act) {
        case ProgramStep::Do::Think:
            return think(step);
        case ProgramStep::Do::Take:
            return take(step);
        case ProgramStep::Do::Work:
            return work(step);
        case ProgramStep::Do::Write:
            return write(step);
        case ProgramStep::Do::Release:
            return release(step);
        case ProgramStep::Do::Await:
            return await(step);
        case ProgramStep::Do::Signal:
            break;
        }
        return signal(step);
    }

    /// Gives back what is still held, the last taken first.
    QCoro::Task<> giveAllBack() {
        while (!m_taken.empty()) {
            const Held last = m_taken.back();
            m_taken.pop_back();
            co_await giveBack(last);
        }
    }

private:
    /// One hold that a step has taken; it may be lost by now.
    struct Held {
        ClientLocks::Use* use;
        Mode mode;
    };
    /// A resource that work writes to.
    struct Target {
        QByteArray lock;
        std::int64_t token;
    };

    static bool stillMine(const Held& held) { return held.use->lock->stillMine(kThread, held.mode); }
    bool allMine() const { return std::ranges::all_of(m_taken, stillMine); }

    Nanos longestWait(const ProgramStep& step, const QByteArrayList& names) const {
        return step.wait.value_or(lockPlan(m.settings, names.front()).settings.wait);
    }

    QCoro::Task<bool> think(const ProgramStep& step) {
        const Range range = step.range.value_or(m.settings.workload.think);
        const Nanos pause = std::max(m.runtime.random(range.low, range.high), kShortestRound);
        co_await m.runtime.sleep(pause);
        co_return true;
    }

    QCoro::Task<bool> take(const ProgramStep& step) {
        const QByteArrayList names = locksOf(step, m.settings);
        ClientLocks::Use* const use = m.locks.of(names);
        if (!use) co_return false;
        LockRequest request;
        request.mode = modeOf(step);
        request.permits = step.permits;
        request.wait = longestWait(step, names);
        m.locks.asks(*use);
        const auto taken = co_await use->lock->take(request, {});
        use->asking = false;
        if (!taken || !*taken) co_return false;
        m_taken.push_back({use, request.mode});
        co_return true;
    }

    /// The locks whose resources the client may write to, in the order in which it took them.
    std::vector<Target> targets(const ProgramStep& step) const {
        std::vector<Target> all;
        for (const Held& held : m_taken) {
            if (held.mode != Mode::Exclusive && !step.every) continue; // readers read
            const std::vector<std::int64_t> tokens = held.use->lock->tokens(kThread, held.mode);
            for (qsizetype i = 0; i < held.use->names.size(); ++i) {
                const QByteArray& name = held.use->names[i];
                if (std::ranges::any_of(all, [&](const Target& target) { return target.lock == name; })) continue;
                all.push_back({name, std::size_t(i) < tokens.size() ? tokens[std::size_t(i)] : 0});
            }
        }
        if (m_taken.empty() && step.every) all.push_back({m.settings.lock.name.toUtf8(), 0});
        return all;
    }

    /// Writes now and then until the time is over, or until a lock is known to be lost, if the client heeds that.
    QCoro::Task<bool> work(const ProgramStep& step) {
        const scenario::Workload workload = m.settings.workload;
        const Range hold = step.range.value_or(workload.hold), every = step.every.value_or(workload.writeEvery);
        Runtime& runtime = m.runtime;
        const Nanos until = laterBy(runtime.monotonic(), runtime.random(hold.low, hold.high));
        const std::vector<Target> resources = targets(step);
        // stillMine() looks at the own clock, holdCount() does not: after a pause the news of the loss may still be on
        // its way.
        const auto mayGoOn = [&] { return !workload.stopOnLoss || allMine(); };
        while (mayGoOn()) {
            const Nanos left = until - runtime.monotonic();
            const Nanos nap = std::max(runtime.random(every.low, every.high), kShortestPause);
            if (left <= nap) {
                if (left > Nanos(0)) co_await runtime.sleep(left);
                break;
            }
            co_await runtime.sleep(nap);
            while (m.workHangs)
                co_await runtime.sleep(kHang);
            // The check and the write are two steps, as in every real program: what happens between them is the lesson.
            for (const Held& held : m_taken)
                held.use->lock->atWork(kThread);
            for (const Target& target : resources)
                if (mayGoOn()) co_await m.world.write(runtime, target.lock, m.thread, target.token);
        }
        co_return true;
    }

    QCoro::Task<bool> write(const ProgramStep& step) {
        for (const QByteArray& name : locksOf(step, m.settings)) {
            std::int64_t token = 0;
            for (const Held& held : m_taken) {
                const qsizetype part = held.use->names.indexOf(name);
                const std::vector<std::int64_t> tokens = held.use->lock->tokens(kThread, held.mode);
                if (part >= 0 && std::size_t(part) < tokens.size()) token = tokens[std::size_t(part)];
            }
            co_await m.world.write(m.runtime, name, m.thread, token);
        }
        co_return true;
    }

    /// Several locks may have been taken as one or one by one.
    QCoro::Task<bool> release(const ProgramStep& step) {
        const QByteArrayList names = locksOf(step, m.settings);
        if (takenAs(names) != m_taken.rend()) {
            co_await giveLastBack(names);
            co_return true;
        }
        for (const QByteArray& name : names) {
            const QByteArrayList one{name};
            co_await giveLastBack(one);
        }
        co_return true;
    }

    std::vector<Held>::reverse_iterator takenAs(const QByteArrayList& names) {
        ClientLocks::Use* const use = m.locks.known(names);
        return std::find_if(m_taken.rbegin(), m_taken.rend(), [use](const Held& held) { return held.use == use; });
    }

    QCoro::Task<> giveLastBack(QByteArrayList names) {
        const auto found = takenAs(names);
        if (found == m_taken.rend()) co_return;
        const Held held = *found;
        m_taken.erase(std::next(found).base());
        co_await giveBack(held);
    }

    QCoro::Task<> giveBack(Held held) {
        AnyLock& lock = *held.use->lock;
        // A hold past its deadline is not released: the lock may be another client's by now. The loss is told in a
        // moment.
        if (lock.holdCount(kThread, held.mode) > 0 && !stillMine(held)) co_await m.runtime.sleep(kShortestPause);
        if (lock.holdCount(kThread, held.mode) > 0) co_await lock.unlock(kThread, held.mode);
    }

    /// The condition of a lock that the round has taken; nullptr: it has not, or the lock is a manager's.
    DistributedCondition* conditionOf(const QByteArrayList& names) {
        const auto held = takenAs(names);
        if (held == m_taken.rend()) return nullptr;
        auto& condition = held->use->condition;
        auto* const lock = dynamic_cast<DistributedLock*>(held->use->lock.get());
        if (!condition && lock)
            condition = std::make_unique<DistributedCondition>(m.connectionOf(names.front()), *lock, names.front());
        return condition.get();
    }

    // In time or not, the lock is held again afterwards.
    QCoro::Task<bool> await(const ProgramStep& step) {
        const QByteArrayList names = locksOf(step, m.settings);
        DistributedCondition* const condition = conditionOf(names);
        if (!condition) co_return false;
        const auto waited = co_await condition->await(longestWait(step, names), kThread, {});
        co_return waited.has_value();
    }

    QCoro::Task<bool> signal(const ProgramStep& step) {
        DistributedCondition* const condition = conditionOf(locksOf(step, m.settings));
        if (!condition) co_return false;
        const auto woken = co_await condition->signal(kThread);
        co_return woken.has_value();
    }

    ProgramContext& m;
    std::vector<Held> m_taken; ///< in the order of taking
};

} // namespace

bool runsOnce(const scenario::Program& program, Nanos until) {
    if (program.steps.empty()) return false;
    const ProgramStep& last = program.steps.back();
    return last.act == ProgramStep::Do::Think && last.range && last.range->low >= until;
}

QCoro::Task<> runProgram(ProgramContext context) {
    Runtime& runtime = context.runtime;
    const bool once = runsOnce(context.program, context.settings.until);
    for (;;) {
        const Nanos begun = runtime.monotonic();
        Round round(context);
        for (const ProgramStep& step : context.program.steps) {
            const bool goesOn = co_await round.run(step);
            if (!goesOn && !once) break;
        }
        co_await round.giveAllBack();
        context.locks.endRound();
        const Nanos left = kShortestRound - (runtime.monotonic() - begun);
        if (left > Nanos(0)) co_await runtime.sleep(left);
    }
}

} // namespace lockscope::workload
