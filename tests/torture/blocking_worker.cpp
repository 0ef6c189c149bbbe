// SPDX-License-Identifier: Apache-2.0
#include "blocking_worker.h"

#include "alarm_clock.h"
#include "client/blocking/access.h"
#include "client/blocking/service.h"
#include "grip.h"

#include <cstdio>

namespace lockscope::torture {

namespace {

using recipes::Mode;

/// Rest or work; ends sooner when the time is over.
void pass(Nanos time, const std::stop_token& over) {
    std::mutex mutex;
    std::unique_lock held(mutex);
    std::condition_variable_any().wait_for(held, over, time, [] { return false; });
}

/// One of the locks, as the recipe has it.
class Target {
public:
    Target(const blocking::Client& client, const recipes::RecipeInfo& recipe, const std::string& name,
           const LockOptions& options) {
        if (recipe.permits)
            m_seats = std::make_unique<blocking::Semaphore>(client, name, kPermits, options);
        else if (recipe.shared)
            m_shared = std::make_unique<blocking::SharedMutex>(client, name, options);
        else
            m_mutex = std::make_unique<blocking::Mutex>(client, name, options);
    }
    std::unique_ptr<Grip> grip(Mode mode, int permits) const {
        if (mode == Mode::Permit) return std::make_unique<PermitGrip>(*m_seats, permits);
        if (mode == Mode::Shared) return std::make_unique<SharedGrip>(*m_shared);
        return m_shared ? std::make_unique<AloneGrip>(*m_shared) : std::make_unique<AloneGrip>(*m_mutex);
    }

private:
    std::unique_ptr<blocking::Mutex> m_mutex;
    std::unique_ptr<blocking::SharedMutex> m_shared;
    std::unique_ptr<blocking::Semaphore> m_seats;
};

/// One that is connected; nullptr when the time was over before.
std::unique_ptr<blocking::Client> connect(const WorkerTask& task, const std::shared_ptr<trace::Trace>& trace) {
    blocking::ClientOptions options;
    options.identity = task.client.toStdString();
    options.prepare = true;
    options.history = blocking::detail::Access::history(trace);
    while (task.now() < task.until) {
        try {
            return std::make_unique<blocking::Client>(task.url.toStdString(), options);
        } catch (const LockException&) {
            pass(100ms, {}); // it may be on its way back
        }
    }
    return nullptr;
}

/// Every row of the trace goes to the journal on the thread that writes it, before that goes on.
void writeDown(Fighter& fighter, const blocking::Client& client, const std::shared_ptr<trace::Trace>& trace) {
    blocking::detail::Service& service = *blocking::detail::Access::service(client);
    const Nanos ahead = service.origin().time_since_epoch() - fighter.task().origin;
    service.call<bool>([&](std::stop_token) -> recipes::Outcome<bool> {
        service.source().honoursDeadlines = !fighter.task().heedless;
        service.source().recorder()->onEvent(
            [&fighter, trace, ahead](const trace::Event& event) { fighter.note(*trace, event, ahead); });
        co_return true;
    });
}

std::vector<Target> makeTargets(Fighter& fighter, const blocking::Client& client) {
    std::vector<Target> targets;
    const auto make = [&] {
        for (std::size_t i = 0; i < kLocks; ++i)
            targets.emplace_back(client, fighter.recipe(), fighter.nameOf(i).toStdString(), fighter.options());
    };
    try {
        make();
    } catch (const NotSupportedException&) {
        fighter.holdAlone();
        make();
    }
    return targets;
}

class Labourer {
public:
    Labourer(Fighter& fighter, const std::vector<Target>& targets, AlarmClock& alarms, int number)
        : m_fighter(fighter),
          m_targets(targets),
          m_alarms(alarms),
          m_random(fighter.task().seed + std::uint64_t(number)) {}

    /// Takes locks and gives them back until the time is over.
    void labour(const std::stop_token& over) {
        while (!over.stop_requested()) {
            const Fighter::Wish wish = m_fighter.anything(m_random);
            std::stop_source stop;
            const std::stop_callback ends(over, [&stop] { stop.request_stop(); });
            if (wish.interruptAfter != kNever) m_alarms.interrupt(stop, wish.interruptAfter);
            const auto grip = m_targets[wish.lock].grip(wish.mode, wish.permits);
            bool taken = false, troubled = false;
            try {
                taken = grip->take(wish.wait, stop.get_token());
            } catch (const InterruptedException&) {
            } catch (const LockException&) {
                troubled = true;
            }
            if (taken) work(wish, *grip, over);
            pass(Fighter::rest(m_random, troubled), over);
        }
    }

private:
    void work(const Fighter::Wish& wish, Grip& grip, const std::stop_token& over) {
        const Counter& counter = m_fighter.counter(wish.lock);
        std::int64_t before = counter.read();
        if (m_fighter.takesItTwice(m_random, wish.mode)) {
            try {
                // The hold around it may have been lost, and this be a new one: others worked in between.
                if (grip.take(kNever, {}) && grip.holds() < 2) before = counter.read();
            } catch (const LockException&) {
                // The server is gone: what there is of it is given back below.
            }
        }
        pass(m_fighter.work(m_random), over);
        if (grip.stillMine()) {
            if (wish.mode == Mode::Exclusive)
                m_fighter.increment(wish.lock, before);
            else if (wish.mode == Mode::Shared && counter.read() != before && grip.stillMine())
                m_fighter.defect(wish.lock, "a writer wrote while a reader held the lock");
        }
        giveBack(wish.lock, grip);
    }

    void giveBack(std::size_t lock, Grip& grip) {
        try {
            // A hold that was lost meanwhile is not among them.
            for (int holds = 1; holds > 0;) {
                holds = grip.holds();
                const int left = grip.giveUp();
                m_fighter.checkHoldsLeft(lock, left, holds - 1);
                holds = left;
            }
        } catch (const LockException&) {
            // Lost, or the server is gone: not ours any more.
        }
        if (grip.stillMine() && grip.holds() == 0) m_fighter.defect(lock, "a thread that gave the lock back holds it");
    }

    Fighter& m_fighter;
    const std::vector<Target>& m_targets;
    AlarmClock& m_alarms;
    Fighter::Random m_random;
};

} // namespace

int liveBlocking(Fighter& fighter) {
    const WorkerTask& task = fighter.task();
    const auto trace = std::make_shared<trace::Trace>();
    const auto client = connect(task, trace);
    if (!client) return 0;
    writeDown(fighter, *client, trace);
    const std::vector<Target> targets = makeTargets(fighter, *client);
    {
        AlarmClock alarms;
        const std::stop_source over;
        alarms.interrupt(over, task.until - task.now());
        std::vector<std::jthread> threads;
        for (int number = 1; number <= task.threads; ++number)
            threads.emplace_back([&fighter, &targets, &alarms, number, token = over.get_token()] {
                Labourer(fighter, targets, alarms, number).labour(token);
            });
    }
    client->close();
    return 0;
}

} // namespace lockscope::torture
