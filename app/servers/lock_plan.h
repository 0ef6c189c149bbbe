// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "cli/arguments.h"
#include "ports/url.h"
#include "recipes/recipe.h"

namespace lockscope::cli {

/// The parsed command line of `lockscope lock`.
struct LockPlan {
    ConnectionUrl url;
    QByteArray recipe; ///< empty: what the connection takes by itself
    recipes::Mode mode = recipes::Mode::Exclusive;
    bool token = true; ///< a fencing token with the grant, where the recipe gives one
    int permits = 1;   ///< of a semaphore: how many there are in all; one is taken
    QByteArray name;
    QByteArray client;       ///< empty: a new identity
    QByteArray thread = "1"; ///< another for each run under one name: two of them are not one that takes it again
    Nanos lease = 30s;
    Nanos wait = kNever;
    std::vector<QByteArray> command;
};

/// Parses the words of a command line around `command`; the error is a sentence.
std::expected<LockPlan, QString> lockPlan(const QStringList& words, const std::vector<QByteArray>& command);

} // namespace lockscope::cli
