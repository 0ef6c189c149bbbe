// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "lesson/facts.h"

#include <expected>

namespace lockscope::lesson {

/// The scenario that a scene plays: a built-in one with the scene's changes and `further` ones. The problems name the
/// scene.
std::expected<scenario::Scenario, std::vector<scenario::Problem>> scenarioOf(const Scene& scene,
                                                                             const QJsonObject& further = {});

/// A scene played to its end, so that every name and every answer of the lesson is known. A session with the same
/// scenario and seed shows the same run.
struct SceneRun {
    scenario::Scenario scenario;
    std::shared_ptr<Facts> facts;
};

/// Plays it, as fast as it goes. The error is a sentence: the scenario does not run, or a moment does not happen.
std::expected<SceneRun, QString> playScene(const Scene& scene, const QJsonObject& further = {});

/// The setting, or the recipe, in which alone two scenes differ, with its value in the second one: "deadline=honoured",
/// as experiment::parseContrast() reads it. Empty: they differ in more, or are no runs of one scenario and seed.
QString oneDifference(const Scene& first, const SceneRun& firstRun, const Scene& second, const SceneRun& secondRun);

} // namespace lockscope::lesson
