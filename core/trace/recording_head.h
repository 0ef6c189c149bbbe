// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/recording.h"

namespace lockscope::trace {

/// Reads a file's first bytes; returns why the file cannot be a recording, or nullopt when it may be one. Quick for any
/// file size: call it before showing or remembering anything about the file.
std::optional<RecordingError> recordingRefused(const QString& path);

} // namespace lockscope::trace
