// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "lesson/lesson.h"
#include "lesson/scene_run.h"

#include <future>
#include <map>

namespace lockscope::views {

/// The runs of a lesson's scenes, which are played beside the window: the first one is soon there, and the others while
/// it is looked at.
class SceneRuns {
public:
    SceneRuns() = default;
    /// Begins to play all scenes, `first` before the others.
    SceneRuns(const lesson::Lesson& lesson, const QString& first);

    /// Waits for a scene of the lesson. The error is a sentence: lesson::playScene().
    const std::expected<lesson::SceneRun, QString>& wait(const QString& scene) const { return m_runs.at(scene).get(); }
    /// As above, of a scene that plays.
    const lesson::SceneRun& at(const QString& scene) const { return *wait(scene); }
    bool contains(const QString& scene) const { return m_runs.contains(scene); }

private:
    void play(const lesson::Scene& scene);

    std::map<QString, std::shared_future<std::expected<lesson::SceneRun, QString>>> m_runs;
};

} // namespace lockscope::views
