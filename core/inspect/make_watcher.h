// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/watcher.h"
#include "ports/diallers.h"

#include <memory>

namespace lockscope::inspect {

/// Makes the watcher for the URL's kind of server, not connected yet. The error is that of watchable().
std::expected<std::unique_ptr<Watcher>, QString> makeWatcher(Runtime& runtime, const ConnectionUrl& url,
                                                             const Diallers& diallers, WatchOptions options = {});

/// The options that a URL has for watching: `match`, `ignore` and `string`, each a list of globs with commas in
/// between.
WatchOptions watchOptionsOf(const ConnectionUrl& url);

/// Whether makeWatcher() can make a watcher of the URL's options; the error is a sentence for the user.
std::expected<void, QString> watchable(const ConnectionUrl& url);

} // namespace lockscope::inspect
