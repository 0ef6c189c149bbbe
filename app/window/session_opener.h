// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "session/connection_desk.h"

#include <expected>
#include <functional>
#include <memory>

namespace lockscope::app {

using Opened = std::expected<std::unique_ptr<session::Session>, QString>;

/// A simulated session of a built-in scenario (by id) or of a scenario file. The error is for the message bar: file,
/// line and what would be right. Without a seed: the file's own, if it says one.
Opened openScenario(const QString& idOrPath, std::optional<std::uint64_t> seed = {});
/// A recording, or a scenario file (.json).
Opened openFile(const QString& path);
/// Running servers, at least one. Returns at once; how it goes is told by the session's health.
Opened openConnections(const std::vector<session::ConnectionWish>& connections);

/// True for texts that are meant as a server's address.
bool looksLikeUrl(const QString& text);
/// True for a recording: by its name, or by its content where it is called otherwise.
bool looksRecorded(const QString& path);
/// Tries an address once; calls `done` as long as the returned object lives. Precondition: complaintAboutUrl(url) is
/// empty.
std::unique_ptr<QObject> tryConnection(const QString& url,
                                       std::function<void(bool good, const QString& sentence)> done);
/// Empty = fine; otherwise what is wrong with the address.
QString complaintAboutUrl(const QString& url);

} // namespace lockscope::app
