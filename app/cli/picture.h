// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "trace/recording.h"

#include <QIODevice>

namespace lockscope::cli {

/// Paints the timeline of a recording, with its verdict, as "png" or "svg". Needs a QGuiApplication. An error is a
/// sentence.
std::expected<void, QString> paint(const QString& format, const trace::LoadedRecording& recording, QIODevice& device);

} // namespace lockscope::cli
