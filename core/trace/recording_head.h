// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/recording.h"

namespace lockscope::trace {

/// Reads a file's first bytes; returns why the file cannot be a recording, or nullopt when it may be one. Quick for any
/// file size: call it before showing or remembering anything about the file.
std::optional<RecordingError> recordingRefused(const QString& path);

/// Whether a file begins as a recording does, whatever it is called; other programs have SQLite files, too. False where
/// it cannot be read.
bool beginsAsARecording(const QString& path);

} // namespace lockscope::trace
