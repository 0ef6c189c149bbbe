// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "inspect/seen_content.h"
#include "models/lock_facts.h"

#include <QStringList>

namespace lockscope::views {

/// The content seen on a server, line by line: for each key its name, type and TTL, as they were seen, then its
/// content, which is indented by two spaces. `name` is the lock's, for the line that says that nothing was there, and
/// `backend` the product that keeps it, if that is known: not all of them have keys, and a free lock may have a row.
QStringList seenLines(const inspect::SeenContent& content, const QString& name, const QString& backend = {});
/// A line on a lock of which no content was seen. Some holds of a database lie in its memory, and in no row.
QString unwrittenWords(const LockFacts& facts, const ViewContext& context);

} // namespace lockscope::views
