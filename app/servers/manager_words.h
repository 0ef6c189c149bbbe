// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "lock/manager/engine_survey.h"
#include "servers/manager_changes.h"

#include <QJsonObject>
#include <QStringList>

namespace lockscope::cli {

/// An instant of a wall clock as text: RFC 3339, "2026-11-24T11:20:03.120Z"; empty for 0.
QString instantOf(std::int64_t wallMs);
/// "redis://one:6379 redis-fenced (the primary)"; for an engine that is not in the configuration, its id.
QString engineText(const NamespaceConfig& config, const QByteArray& engine);
/// A server's trouble as one line, without its final stop.
QString troubleText(const LockError& trouble);

/// The text of `status` about a namespace: one line for the namespace's state, one for each engine and each copy of the
/// record.
QStringList statusText(const EngineReport& report);
QJsonObject statusJson(const EngineReport& report);
/// The output of `check` for a namespace: a line for each server.
QStringList checkText(const EngineReport& report);
/// Why nobody can say which engine is in use, or change it.
QString unreadableText(const EngineReport& report);

/// A line of `watch`.
QString changeText(const ManagerChange& change, const EngineReport& report);
QJsonObject changeJson(const ManagerChange& change, const EngineReport& report);

} // namespace lockscope::cli
