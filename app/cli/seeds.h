// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "cli/arguments.h"

namespace lockscope::cli {

/// Both included; first <= last.
struct Seeds {
    std::uint64_t first = 1, last = 1;
};

/// The seeds that `--seed N` or `--seeds A..B` give; nullopt: neither is there. The error is a sentence.
std::expected<std::optional<Seeds>, QString> seedsOf(const Arguments& arguments);

} // namespace lockscope::cli
