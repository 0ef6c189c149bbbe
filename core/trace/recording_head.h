// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/recording.h"

namespace lockscope::trace {

/// What the first bytes of a file say against its being a recording; nothing when they look like one. Quick, whatever
/// the file's size: to be asked before anything is shown or remembered of it.
std::optional<RecordingError> recordingRefused(const QString& path);

} // namespace lockscope::trace
