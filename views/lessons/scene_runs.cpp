// SPDX-License-Identifier: GPL-3.0-or-later
#include "lessons/scene_runs.h"

#include <QThreadPool>

namespace lockscope::views {

SceneRuns::SceneRuns(const lesson::Lesson& lesson, const QString& first) {
    if (const lesson::Scene* const scene = lesson.scene(first)) play(*scene);
    for (const lesson::Scene& scene : lesson.scenes)
        if (scene.id != first) play(scene);
}

void SceneRuns::play(const lesson::Scene& scene) {
    using Played = std::expected<lesson::SceneRun, QString>;
    const auto promise = std::make_shared<std::promise<Played>>();
    m_runs.emplace(scene.id, promise->get_future().share());
    QThreadPool::globalInstance()->start([promise, scene] { promise->set_value(lesson::playScene(scene)); });
}

} // namespace lockscope::views
