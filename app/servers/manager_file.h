// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "lock/manager/manager_config.h"

namespace lockscope::cli {

/// Reads a manager's configuration file. The error lists all mistakes; a file that cannot be read is one.
std::expected<ManagerConfig, std::vector<ConfigMistake>> readManagerFile(const QString& path);

/// Finds the lines of mistakes that have only a path.
void locate(const QString& path, std::vector<ConfigMistake>& mistakes);

/// A line to stderr for each mistake: "FILE:LINE: /path: …".
void complainAbout(const QString& path, const std::vector<ConfigMistake>& mistakes);

/// The namespace of that name; with an empty name, the only one. The error is a sentence that names those there are.
std::expected<NamespaceConfig, QString> namespaceOf(const ManagerConfig& config, const QString& name);

} // namespace lockscope::cli
