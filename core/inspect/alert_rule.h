// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/time.h"

#include <QString>
#include <expected>
#include <vector>

namespace lockscope::inspect {

/// A state of a lock, or of a server, that somebody wants to be told of.
struct AlertRule {
    enum class Kind : std::uint8_t {
        Held,        ///< "held>5m": by the same holder for longer
        Left,        ///< "left<2s": a lease that is about to end: a renewal is missing
        NoExpiry,    ///< "no-expiry": held, and nothing ends it by itself
        Waiters,     ///< "waiters>10": more clients wait
        Waited,      ///< "waited>30s": a waiter that is named waits for longer
        DeadWaiters, ///< "dead-waiters>0": entries of the queue that nobody waits behind
        HandOvers,   ///< "hand-overs>60": more changes of the holder within a minute
        Unusual,     ///< "unusual>10": by the same holder for more than so many times as long as this lock usually is
        Herd,        ///< "herd>20": more clients than that waited without a queue when a hold ended
        Deadlock,    ///< "deadlock": holders that wait for each other in a ring
        TokenBack,   ///< "token-back": a fencing token lower than one before
        Unreachable, ///< "unreachable>10s": the server could not be read for longer
        RenewalLate, ///< "renewal-late>2s": a holder that renewed at a steady pace is behind it by more
        FailedOver,  ///< "failed-over": held while another server took over from the one that granted it
        HolderGone,  ///< "holder-gone": held by a client without a connection any more, and nothing ends it by itself
        MayEvict,    ///< "may-evict": the server drops locks when its memory is full
        ZkRate,      ///< "zookeeper-rate>100": locks of a ZooKeeper change hands more often, a second over a minute
        ZkLocks,     ///< "zookeeper-locks>500000": a ZooKeeper keeps more locks
        DeadHead,    ///< "dead-head": the first entry of a queue belongs to nobody: it keeps the others from the lock
        HeldTwice,   ///< "held-twice": two clients hold a lock, since their libraries do not see each other's entries
    };
    Kind kind = Kind::Held;
    Nanos time{};           ///< the threshold of Held, Left, Waited, Unreachable, RenewalLate
    std::int64_t count = 0; ///< the threshold of Waiters, DeadWaiters, HandOvers, Unusual, Herd, ZkRate, ZkLocks
    QString text;           ///< as it was written, without spaces: "held>5m"
    friend bool operator==(const AlertRule& a, const AlertRule& b) {
        return a.kind == b.kind && a.time == b.time && a.count == b.count;
    }
};

/// How much an alert matters. Critical: data was lost, or nothing can be seen. Warning: somebody waits, or will.
enum class AlertSeverity : std::uint8_t { Info, Warning, Critical };
AlertSeverity severityOf(AlertRule::Kind kind);
/// Whether it is about the server as a whole, and about no lock of it.
bool isOfServer(AlertRule::Kind kind);

/// A kind of rule as it is written.
struct AlertForm {
    enum class Takes : std::uint8_t { Nothing, Time, Count };
    AlertRule::Kind kind;
    const char* name; ///< "held"
    const char* sign; ///< ">", "<"; "" where there is no threshold
    Takes takes;
    const char* example; ///< a whole rule, with a threshold that suits many servers: "held>5m"
};
/// All kinds, in the order of AlertRule::Kind.
std::vector<AlertForm> alertForms();
const AlertForm& formOf(AlertRule::Kind kind);

/// Reads a rule. The error is a sentence that names what there is.
std::expected<AlertRule, QString> parseAlertRule(const QString& text);

/// The rules for somebody who has not chosen any: those that hardly ever are true of a healthy system.
std::vector<AlertRule> usualAlertRules();

} // namespace lockscope::inspect
