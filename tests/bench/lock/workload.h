// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QByteArray>
#include <optional>

namespace lockscope::bench {

/// The clients' work.
struct Workload {
    enum class Kind : std::uint8_t {
        Seq,     ///< one client locks and unlocks
        Conc,    ///< each client does, a lock of its own
        Handoff, ///< all clients do, one lock, no hold
        Turn,    ///< the same, each staying away until another has had it
        Wake,    ///< one holds, one waits already; then the other way round
        Held,    ///< one client keeps many locks: what its renewals cost
    };
    Kind kind = Kind::Seq;
    int clients = 1;
    QByteArray text = "seq"; ///< as it was written

    bool contended() const { return kind == Kind::Handoff || kind == Kind::Turn; }
    /// All clients want the same one.
    bool oneLock() const { return contended() || kind == Kind::Wake; }
    /// How many clients use one connection together: all of them when there are more than a pool would have.
    bool oneConnection() const { return kind == Kind::Held || (kind == Kind::Conc && clients > kOwnConnections); }
    static constexpr int kOwnConnections = 16;
};

/// "seq", "conc16", "handoff8", "turn4", "wake1", "held10000"; nullopt when it is none.
std::optional<Workload> parseWorkload(const QByteArray& text);

} // namespace lockscope::bench
