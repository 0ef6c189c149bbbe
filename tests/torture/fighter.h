// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "journal.h"
#include "lock/lock_options.h"
#include "recipes/recipe_info.h"
#include "trace/trace.h"
#include "worker_task.h"

#include <memory>
#include <random>

namespace lockscope::torture {

/// The common base of all fighters for locks, whether their threads are an event loop's or the system's: their wishes,
/// how long they work, and that they write everything down. Any thread.
class Fighter {
public:
    using Random = std::mt19937_64;
    using Mode = recipes::Mode;

    explicit Fighter(const WorkerTask& task);
    const WorkerTask& task() const { return m_task; }
    const recipes::RecipeInfo& recipe() const { return m_recipe; }
    JournalWriter& journal() { return m_journal; }
    const Counter& counter(std::size_t lock) const { return *m_counters[lock]; }
    QByteArray nameOf(std::size_t lock) const { return lockName(int(lock), m_task.recipe == "redis-multi"); }
    HoldOptions options() const;

    struct Wish {
        std::size_t lock = 0;
        Mode mode = Mode::Exclusive;
        int permits = 1;
        Nanos wait = kNever;
        Nanos interruptAfter = kNever;
    };
    /// The server is one of those on which the recipe has no readers.
    void holdAlone() { m_recipe.shared = false; }
    Wish anything(Random& random) const;
    bool takesItTwice(Random& random, Mode mode) const;
    /// A client that does not check its hold works long enough to be overtaken.
    Nanos work(Random& random) const;
    /// Before the next wish.
    static Nanos rest(Random& random, bool troubled);

    /// Writes down an event of a lock; times in the trace count from `ahead` after the common clock's beginning.
    void note(const trace::Trace& trace, const trace::Event& event, Nanos ahead);
    /// Writes the counter of a lock that is held alone; `before` as it was when it was taken.
    void increment(std::size_t lock, std::int64_t before);
    void defect(std::size_t lock, const QByteArray& what) { write(Entry::What::Defect, lock, what); }
    /// An unlock left `is` holds.
    void checkHoldsLeft(std::size_t lock, int is, int expected);

private:
    void write(Entry::What what, std::size_t lock, const QByteArray& text);
    std::uint32_t numberOf(const QByteArray& lock) const;

    const WorkerTask m_task;
    recipes::RecipeInfo m_recipe;
    JournalWriter m_journal;
    std::vector<std::unique_ptr<Counter>> m_counters;
};

inline std::size_t below(Fighter::Random& random, std::size_t n) {
    return random() % n;
}
inline Nanos between(Fighter::Random& random, Nanos least, Nanos most) {
    return least + Nanos(std::int64_t(random() % std::uint64_t((most - least).count() + 1)));
}

} // namespace lockscope::torture
