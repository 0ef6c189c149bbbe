// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/zookeeper/port.h"

#include <deque>

namespace lockscope::zookeeper {

/// Finds the instant from which the leader counts a session's time-out at the earliest (Session::provenAt) from the
/// leader's answers.
///
/// An answer of the leader proves the session once the leader has also answered a question that was asked a tick or
/// more later. By then the leader knows that the session lives: our server tells it which sessions it has heard from
/// when it answers the leader's pings, of which there are two in a tick. And no other leader existed yet when the first
/// answer was given: a leader that is cut off answers reads and syncs for a tick at most after the others may have
/// elected the next one, which counts all sessions' time from its own beginning.
///
/// A tick is taken to be the usual two seconds, or more: a quarter of a long session, half of a short one, whose
/// servers' ticks are short.
class LeaderProof {
public:
    /// How often the leader is to be asked for a session of that length.
    static Nanos beatPeriod(Nanos session);

    /// Forgets all answers: the session has ended.
    void clear() { m_heard.clear(); }
    /// A server gave the session, asked at `sentAt`. All instants are of the own monotonic clock.
    void greeted(Nanos sentAt, Nanos now);
    /// The leader's answer to what was sent at `sentAt` has come. Returns the newest instant that is proven by it, or
    /// Nanos(0).
    Nanos heard(Nanos sentAt, Nanos now, Nanos session);
    /// When the last answer came that counts.
    Nanos heardAt() const { return m_heardAt; }

private:
    /// An answer that a later one is to prove.
    struct Heard {
        Nanos sentAt{}, answeredAt{};
    };
    std::deque<Heard> m_heard;
    Nanos m_heardAt{};
};

} // namespace lockscope::zookeeper
