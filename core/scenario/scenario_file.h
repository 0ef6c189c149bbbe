// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "scenario/scenario.h"

#include <expected>

namespace lockscope::scenario {

/// Reads a scenario from JSON text, checked against the published schema of its version
/// (resources/scenarios/scenario.schema.json, scenario-2.schema.json) and against what a schema cannot say (targets
/// exist, low <= high, one of at and when, a watchdog in time for its lease). All complaints at once.
std::expected<Scenario, std::vector<Problem>> parseScenario(const QByteArray& json, const QString& file);

/// Reads the scenario that a recording keeps. It has run already, so that it may have a watchdog that came too late:
/// earlier versions took such ones. nullopt: it is none.
std::optional<Scenario> recordedScenario(const QByteArray& json);

/// Reads a built-in scenario by its id, one of the person's own by its file's name (user_files.h), or a file.
std::expected<Scenario, std::vector<Problem>> loadScenario(const QString& idOrPath);

/// The file's text; parses back to an equal scenario.
QByteArray toJson(const Scenario& scenario);

/// A scenario as it is to be saved at this path. A scenario changed by hand gets an id of its own, from the file's
/// name, and promises nothing: the words and expectations were written for the scenario before the change.
Scenario savedAs(Scenario scenario, const QString& path);

/// Writes a scenario file; an error is a sentence.
std::expected<void, QString> saveScenario(const Scenario& scenario, const QString& path);

/// Ids of the built-in scenarios, by the order that their files say.
QStringList builtinScenarios();

/// The published JSON Schema of a version of files, 1 or 2.
QByteArray scenarioSchema(int version = 1);

} // namespace lockscope::scenario
