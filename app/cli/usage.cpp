// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/usage.h"

#include "cli/exit_status.h"
#include "cli/output.h"
#include "cli/text.h"

#include <QRegularExpression>
#include <algorithm>
#include <array>

namespace lockscope::cli {
namespace {

constexpr std::array kUsages{
    Usage{"simulate",
          "simulate SCENARIO [--recipe R] [--seed N | --seeds A..B] [--until 60s] [--liveness] "
          "[--record FILE] [--json]",
          QT_TRANSLATE_NOOP("cli", "play a scenario in virtual time and judge it")},
    Usage{"compare",
          "compare [--recipes R,…] [--scenarios S,…] [--seed N | --seeds A..B] [--json | --to markdown|csv|html]",
          QT_TRANSLATE_NOOP("cli", "play scenarios with every recipe, and compare what held and what it cost")},
    Usage{"lock",
          "lock [--recipe R] [--shared | --permits N] [--lease 30s] [--wait 10s] [--id CLIENT] [--no-token] URL NAME "
          "-- COMMAND…\n"
          "lockscope lock --manager CONFIG [--namespace N] [--shared | --permits N] [--wait 10s] [--id CLIENT] NAME "
          "-- COMMAND…",
          QT_TRANSLATE_NOOP("cli", "run a command while holding a lock on a real server")},
    Usage{"watch",
          "watch URL… [--match PATTERNS] [--ignore PATTERNS] [--string PATTERNS] [--interval T] [--renewals]\n"
          "                [--once] [--json] [--alert EXPR]… [--fail] [--same-client RULE]…\n"
          "                [--metrics [ADDRESS:]PORT]\n"
          "                [--record FILE [--keep T] [--max-bytes N]]",
          QT_TRANSLATE_NOOP("cli", "locks on running servers; without --once, a line per change")},
    Usage{"manager",
          "manager CONFIG check|status|watch [--json]\n"
          "lockscope manager CONFIG switch [NAMESPACE] ENGINE [--immediate | --drain] [--json]\n"
          "lockscope manager CONFIG fail-back [NAMESPACE] [--immediate | --drain] [--json]",
          QT_TRANSLATE_NOOP("cli", "the engines of a manager's locks: which is in use, and change it")},
    Usage{"check", "check FILE [--json]", QT_TRANSLATE_NOOP("cli", "judge a recording")},
    Usage{
        "export",
        "export FILE --to png|svg|webp|card|scenario|csv|jsonl|perfetto|jepsen OUT [--from T] [--until T] [--redact]",
        QT_TRANSLATE_NOOP("cli", "turn a recording into a picture, a scenario that repeats it, a table or a history")},
    Usage{"diff", "diff FILE --from T --to T [--json]",
          QT_TRANSLATE_NOOP("cli", "what changed between two instants of a recording")},
    Usage{"list", "list scenarios|lessons|recipes|formats [--json]", QT_TRANSLATE_NOOP("cli", "what there is")},
    Usage{"sandbox", nullptr, nullptr},
};

} // namespace

std::span<const Usage> usages() {
    return kUsages;
}

const Usage* findUsage(const QString& name) {
    const auto found = std::ranges::find_if(kUsages, [&](const Usage& u) { return name == QLatin1String(u.name); });
    return found == kUsages.end() ? nullptr : &*found;
}

QString usageOf(const char* command) {
    return QStringLiteral("lockscope ") + QString::fromUtf8(findUsage(QLatin1String(command))->words);
}

int misused(const char* command, const QString& complaint) {
    complainOfWords(complaint);
    // Each of several ways to call it is a message of its own.
    static const QRegularExpression kNext(QStringLiteral("\n(?=lockscope )"));
    const QStringList ways = usageOf(command).split(kNext);
    for (const QString& way : ways)
        lockscope::cli::complain(tr("usage: %1").arg(way));
    return kUsage;
}

} // namespace lockscope::cli
