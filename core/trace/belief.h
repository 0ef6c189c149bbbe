// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/event.h"

namespace lockscope::trace {

struct Record;

/// One thread's belief about one lock, and the rules by which rows begin, change and end it. Only here: State, the
/// timeline's lanes and explanations keep beliefs in containers of their own, and change them by these functions.
struct Belief {
    enum class Phase : std::uint8_t { Idle, Waiting, Holding };
    Phase phase = Phase::Idle;
    std::uint32_t holds = 0;
    std::uint32_t step = 0;      ///< the recipe's step where the thread stands, 0 = none
    EntityId recipe = kNoEntity; ///< Text: the id of the recipe that it asks by; kNoEntity = no row has said it
    std::int64_t since = 0;      ///< when the phase began
    std::int64_t until = -1;     ///< the thread's own deadline, which it honours, -1 = none
    std::int64_t token = 0;
    /// Number of the grant on this lock, from 1; exports tell it when there is no token. While waiting: the number of a
    /// grant that is in the record but not yet known to the client.
    std::uint32_t grant = 0;
    std::int64_t lastRenewal = -1;       ///< -1 = never
    bool asleep = false;                 ///< its client is paused: no deadline of its own passes until it runs again
    bool suspended = false;              ///< the server does not answer; the hold may still last
    HoldMode mode = HoldMode::Exclusive; ///< while holding: the strongest mode of its holds
    std::uint32_t exclusive = 0;         ///< how many of its holds are known to be exclusive
    std::uint32_t permits = 0;           ///< with a semaphore: the least number of permits that it holds
    HoldMode nextMode = HoldMode::Exclusive; ///< from a GrantedAs whose grant comes next
    std::uint32_t nextPermits = 0;
    friend bool operator==(const Belief&, const Belief&) = default;

    /// Whether it is in that phase.
    bool waiting() const { return phase == Phase::Waiting; }
    bool holding() const { return phase == Phase::Holding; } ///< as waiting()
    /// The instant at which it ends by its own deadline if no row comes before; -1: at none.
    std::int64_t endsAt() const { return holding() && !asleep ? until : -1; }
    /// Ends it by its own deadline. Precondition: endsAt() >= 0.
    void expire();
    /// Applies a row of its lock and thread. `grants`: the lock's Record::grants, counted up for a grant that the
    /// record has not told. A row of another group than isBelief() changes nothing.
    void apply(const Event& event, std::uint32_t& grants);
    /// Its client was paused at `at`, or goes on.
    void setAsleep(bool sleeps, std::int64_t at);
    /// Its client was killed at `at`: what starts in its place is another process.
    void die(std::int64_t at);

private:
    void grantBy(const Event& event, std::uint32_t& grants);
    void giveUpOne();
    void end(std::int64_t at);
};

/// Whether a thread's belief and the server's record contradict each other: the thread believes that it holds the lock
/// alone, but the record gives it to another owner or to nobody; or that it is a reader, but the record is free or
/// names all its holders without it. An unobserved record contradicts nothing, and permits never are contradicted:
/// servers keep them without names.
bool contradicts(const Record& record, const Belief& belief, EntityId thread);

} // namespace lockscope::trace
