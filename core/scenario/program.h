// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/duration.h"

#include <QString>
#include <QStringList>
#include <optional>
#include <vector>

namespace lockscope::scenario {

/// A duration drawn uniformly from [low, high].
struct Range {
    Nanos low{}, high{};
    friend bool operator==(const Range&, const Range&) = default;
};

/// One step of a client's program.
struct ProgramStep {
    enum class Do : std::uint8_t {
        Think,   ///< do nothing for `range`
        Take,    ///< take `locks`: one, or several as one lock (all or none); within `wait`
        Work,    ///< hold on for `range`, and write to the resource every `every`; ends early when told of a loss
        Write,   ///< write to the resource once, whether it holds anything or not
        Release, ///< give `locks` back; nothing happens where they are not held
        Await,   ///< wait for the condition of `locks`, within `wait`
        Signal,  ///< wake one that waits for the condition of `locks`
    };
    enum class Hold : std::uint8_t { Exclusive, Shared, Permits };
    Do act = Do::Think;
    QStringList locks;          ///< their names; empty: the scenario's first lock
    std::optional<Range> range; ///< Think, Work; missing: the workload's `think`, `hold`
    std::optional<Range> every; ///< Work; missing: the workload's `write_every`, and readers do not write
    std::optional<Nanos> wait;  ///< Take, Await: the longest wait, kNever = no bound; missing: the lock's own
    Hold hold = Hold::Exclusive;
    int permits = 1; ///< with Hold::Permits: how many at once
    friend bool operator==(const ProgramStep&, const ProgramStep&) = default;
};

/// A client's steps, which it runs in their order, then again from the first, for ever. A lock that was not taken in
/// time ends the round: the client gives back the locks that it still holds, the last taken first.
struct Program {
    QString name;
    std::vector<ProgramStep> steps;
    friend bool operator==(const Program&, const Program&) = default;
};

/// Clients that run one program. Clients are named in the order of the groups: A, B, ….
struct ClientGroup {
    QString program; ///< empty: defaultProgram()
    int count = 1;
    friend bool operator==(const ClientGroup&, const ClientGroup&) = default;
};

/// The program of clients for which a scenario writes none: think, take the first lock, work, release.
Program defaultProgram();

} // namespace lockscope::scenario
