// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/seeds.h"

#include "cli/text.h"

namespace lockscope::cli {

namespace {

std::optional<std::uint64_t> number(const QString& text) {
    bool fine = false;
    const qulonglong value = text.toULongLong(&fine);
    return fine && !text.startsWith(QLatin1Char('+')) ? std::optional<std::uint64_t>(value) : std::nullopt;
}

} // namespace

std::expected<std::optional<Seeds>, QString> seedsOf(const Arguments& arguments) {
    if (arguments.has("seed") && arguments.has("seeds")) return std::unexpected(tr("give --seed or --seeds, not both"));
    if (const auto one = arguments.value("seed")) {
        const auto seed = number(*one);
        if (!seed) return std::unexpected(tr("--seed “%1” should be a whole number from 0 on").arg(*one));
        return Seeds{*seed, *seed};
    }
    if (const auto many = arguments.value("seeds")) {
        const auto first = number(many->section(QStringLiteral(".."), 0, 0));
        const auto last = number(many->section(QStringLiteral(".."), 1));
        if (!first || !last || *first > *last) {
            return std::unexpected(
                tr("--seeds “%1” should be two whole numbers, the smaller first, such as 1..1000").arg(*many));
        }
        return Seeds{*first, *last};
    }
    return std::nullopt;
}

} // namespace lockscope::cli
