// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/url.h"
#include "trace/time.h"
#include "workload.h"

#include <QStringList>

namespace lockscope::bench {

/// The command line, read.
struct BenchOptions {
    std::optional<ConnectionUrl> url; ///< none: a Redis of our own
    QByteArray recipe;                ///< empty: the usual ones
    std::optional<Workload> workload; ///< none: the usual ones
    Nanos seconds = 2s;
    bool events = false;
    bool json = false;
    bool help = false;
};

/// The error is one sentence.
std::expected<BenchOptions, QString> parseOptions(const QStringList& arguments);

extern const char* const kUsage;

} // namespace lockscope::bench
