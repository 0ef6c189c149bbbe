// SPDX-License-Identifier: Apache-2.0
#include "bench_options.h"

#include "recipes/no_such_recipe.h"
#include "recipes/recipe_info.h"

namespace lockscope::bench {

const char* const kUsage =
    R"(usage: lock_bench [--url URL] [--recipe RECIPE] [--workload WORKLOAD] [--seconds S] [--events] [--json]

How fast locks are, and how fast they could be: each measurement alternates with the same work done by the backend's
bare C client, or on a bare socket where that is faster, with the fewest commands that the recipe needs ("raw"). Of
one lock for several clients that is a hand-over from one to the next in which nobody asks in vain; where waiters poll
there is no such limit. A semaphore has one permit here.

  WORKLOAD   seq        one client locks and unlocks
             concN      N clients in one process, a lock and a connection each; above 16 all on one connection
             handoffN   N clients, one lock, no hold
             turnN      the same, each staying away until another has had it
             wake1      one holder, one waiter that already waits
             heldN      one client keeps N locks for S seconds
  --events   every acquisition as [client, ask, got, release, released], ns of one monotonic clock

Times are of a pair, from the request to the end of the release (seq, conc), of the wait for the lock (handoff, turn),
or from the call of unlock to the waiter's return (wake). Without --url a Redis server is started for it.
)";

namespace {

std::optional<int> countIn(const QByteArray& text, const char* prefix, int least, int most) {
    if (!text.startsWith(prefix)) return std::nullopt;
    bool isNumber = false;
    const int count = text.mid(qsizetype(qstrlen(prefix))).toInt(&isNumber);
    if (!isNumber || count < least || count > most) return std::nullopt;
    return count;
}

} // namespace

std::optional<Workload> parseWorkload(const QByteArray& text) {
    using Kind = Workload::Kind;
    if (text == "seq") return Workload{Kind::Seq, 1, text};
    if (text == "wake1") return Workload{Kind::Wake, 2, text};
    if (const auto count = countIn(text, "conc", 1, 10'000)) return Workload{Kind::Conc, *count, text};
    if (const auto count = countIn(text, "handoff", 1, 1000)) return Workload{Kind::Handoff, *count, text};
    if (const auto count = countIn(text, "turn", 2, 1000)) return Workload{Kind::Turn, *count, text};
    if (const auto count = countIn(text, "held", 1, 1'000'000)) return Workload{Kind::Held, *count, text};
    return std::nullopt;
}

std::expected<BenchOptions, QString> parseOptions(const QStringList& arguments) {
    BenchOptions options;
    for (qsizetype i = 0; i < arguments.size(); ++i) {
        const QString& name = arguments[i];
        if (name == QLatin1String("--json")) {
            options.json = true;
            continue;
        }
        if (name == QLatin1String("--events")) {
            options.events = true;
            continue;
        }
        if (name == QLatin1String("--help") || name == QLatin1String("-h")) {
            options.help = true;
            continue;
        }
        static const QStringList withValue{QStringLiteral("--url"), QStringLiteral("--recipe"),
                                           QStringLiteral("--workload"), QStringLiteral("--seconds")};
        if (!withValue.contains(name))
            return std::unexpected(QStringLiteral("There is no option “%1”; --help lists them.").arg(name));
        if (++i == arguments.size()) return std::unexpected(QStringLiteral("%1 needs a value after it.").arg(name));
        const QString& value = arguments[i];
        if (name == QLatin1String("--url")) {
            const auto url = parseConnectionUrl(value);
            if (!url) return std::unexpected(url.error());
            options.url = *url;
        } else if (name == QLatin1String("--recipe")) {
            options.recipe = value.toUtf8();
            if (!recipes::findRecipe(options.recipe)) return std::unexpected(recipes::noSuchRecipe(value));
        } else if (name == QLatin1String("--workload")) {
            options.workload = parseWorkload(value.toUtf8());
            if (!options.workload)
                return std::unexpected(QStringLiteral("There is no workload “%1”; there are seq, concN, handoffN, "
                                                      "turnN, wake1 and heldN, with a number for N.")
                                           .arg(value));
        } else {
            bool isNumber = false;
            const double seconds = value.toDouble(&isNumber);
            if (!isNumber || !(seconds >= 0.05 && seconds <= 3600))
                return std::unexpected(
                    QStringLiteral("--seconds wants a number from 0.05 to 3600, not “%1”.").arg(value));
            options.seconds = Nanos(std::int64_t(seconds * 1e9));
        }
    }
    return options;
}

} // namespace lockscope::bench
