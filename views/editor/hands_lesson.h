// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "editor/hands_recorder.h"
#include "experiment/run.h"

namespace lockscope::views {

/// The text of the lesson that a recording of hands becomes; `language`: of its notes. It plays the whole run again,
/// which takes seconds for a long one: any thread but that of the window. Nullopt: `watch` stopped it.
std::optional<QByteArray> lessonText(HandsRecorder::Taken taken, const QString& language,
                                     const experiment::RunWatch& watch = {});

} // namespace lockscope::views
