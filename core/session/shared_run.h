// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "scenario/scenario.h"

#include <expected>

namespace lockscope::session {

class Session;

/// A run as somebody else needs it to have the same one: equal scenario, seed and changes give an equal digest.
struct SharedRun {
    scenario::Scenario scenario;         ///< without what was done by hand
    std::uint64_t seed = 1;              ///< of the run
    std::vector<scenario::Fault> byHand; ///< each with its instant, in the order in which they strike
    std::optional<Nanos> playhead;       ///< the instant to look at first
    QString version;                     ///< of the program that shares it; empty: not said
    friend bool operator==(const SharedRun&, const SharedRun&) = default;

    /// The scenario with what was done by hand and the seed: ready to run.
    scenario::Scenario whole() const;
};

/// The run of a simulation. Precondition: the session can rewind.
SharedRun sharedRunOf(const Session& session);

/// A run as one line of text without spaces, such as
/// "lockscope:gc-pause?recipe=redis-set&seed=42&do=3.1s,pause-client,A,for=8s&at=6.4s". Only a scenario that is no
/// built-in one stands in it as a whole, packed. A condition's details are those of a file:
/// "when=granted,client=B,nth=2". Precondition: each change by hand has an instant.
QString sharedText(const SharedRun& run);

/// Whether a text is meant as a shared run.
bool looksShared(const QString& text);

/// Reads a shared run, as it was pasted. The error is a sentence that says at which character the text is wrong.
std::expected<SharedRun, QString> readSharedText(const QString& text);

} // namespace lockscope::session
