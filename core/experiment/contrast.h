// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "scenario/scenario.h"
#include "trace/trace.h"

#include <expected>

namespace lockscope::experiment {

/// One change of a scenario, so that two runs with one seed differ in that alone.
struct Contrast {
    QString setting; ///< as in scenario/settings.h, or manager: the way in which the lock manager changes engines
    QString value;
    friend bool operator==(const Contrast&, const Contrast&) = default;
    QString toString() const { return setting + u'=' + value; }
};

/// "watchdog=off"; "fencing" alone is the token check switched to what it is not. nullopt: it names no setting.
std::optional<Contrast> parseContrast(const QString& text, const scenario::Scenario& scenario);

/// The contrasts worth a look, the one that shows most first: the other ways of the lock manager, each switch the other
/// way, and every other recipe that the scenario can begin with.
std::vector<Contrast> contrastsOf(const scenario::Scenario& scenario);

/// The scenario with that change from its start, on servers of the recipe. The error is a sentence.
std::expected<scenario::Scenario, QString> contrasted(const scenario::Scenario& scenario, const Contrast& contrast);

/// The one change that makes `other` of `scenario`. nullopt: it takes several, or none.
std::optional<Contrast> contrastBetween(const scenario::Scenario& scenario, const scenario::Scenario& other);

/// The first place where two runs part: rows of beliefs, of renewals and of the resource; nullopt in one of them: there
/// nothing more happens.
struct Difference {
    Nanos at{}; ///< of the earlier of the two rows
    std::optional<std::size_t> first, second;
    friend bool operator==(const Difference&, const Difference&) = default;
};

/// Compares in order the clients that were granted, renewed, lost or gave back a lock, and those whose writes were
/// accepted or refused. An instant that differs by up to `tolerance` is no difference: another recipe draws other times
/// by chance. nullopt: up to the end of the shorter one the runs tell the same story.
std::optional<Difference> firstDifference(const trace::Trace& first, const trace::Trace& second, Nanos tolerance = 1s);

} // namespace lockscope::experiment
