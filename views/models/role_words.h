// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "trace/event.h"

#include <QString>

namespace lockscope::views {

/// A server's role in words: "master", "replica of redis-1", "replica of nobody". Translated where the role is one that
/// we know. `follows` is the name of the server whose data it copies; empty: none, or not known.
QString roleWords(const QByteArray& role, const QString& follows, bool copiesNobody);
/// The step of a failover as a phrase about the server that it is about: "chosen to be promoted". Translated.
QString failoverWords(trace::FailoverPhase phase);

} // namespace lockscope::views
