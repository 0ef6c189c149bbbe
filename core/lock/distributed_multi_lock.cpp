// SPDX-License-Identifier: Apache-2.0
#include "lock/distributed_multi_lock.h"

#include "lock/recipe_choice.h"
#include "recipes/multi.h"

#include <QCoreApplication>
#include <algorithm>
#include <numeric>
#include <set>
#include <tuple>

namespace lockscope {

namespace {
LockError refused(const QString& message) {
    return {LockError::Kind::Refused, message};
}

std::optional<LockError> wrongIn(const std::vector<LockPart>& parts) {
    if (parts.empty())
        return refused(QCoreApplication::translate("LockError", "A lock of several needs one part at least."));
    std::set<std::pair<QString, QByteArray>> known;
    for (const LockPart& part : parts) {
        const Connection& connection = part.connection;
        if (&part.connection.get().runtime() != &parts.front().connection.get().runtime()) {
            return refused(QCoreApplication::translate("LockError", "The parts of a lock of several are kept by one "
                                                                    "runtime: make their connections over the same."));
        }
        if (known.emplace(connection.url().address(), part.name).second) continue;
        return refused(QCoreApplication::translate("LockError",
                                                   "A lock of several names “%1” on %2 twice: it would wait "
                                                   "for itself.")
                           .arg(QString::fromUtf8(part.name), connection.url().display()));
    }
    return std::nullopt;
}

/// The recipe's facts as they are until its parts have told what they can do.
recipes::RecipeInfo several() {
    recipes::RecipeInfo info = *recipes::findRecipe("redis-multi");
    info.id = "multi";
    info.backend = "several";
    info.layout = QByteArray();
    info.simulated = false;
    return info;
}
} // namespace

std::expected<std::unique_ptr<DistributedLock>, LockError> makeMultiLock(const std::vector<LockPart>& parts,
                                                                         LockOptions options) {
    if (const auto wrong = wrongIn(options)) return std::unexpected(*wrong);
    if (const auto wrong = wrongIn(parts)) return std::unexpected(*wrong);
    // All processes take the parts in the same order.
    const auto placeOf = [&](std::size_t index) {
        const Connection& connection = parts[index].connection;
        return std::tuple(connection.backend(), connection.url().address(), parts[index].name, index);
    };
    std::vector<std::size_t> sorted(parts.size());
    std::iota(sorted.begin(), sorted.end(), std::size_t(0));
    std::ranges::sort(sorted, {}, placeOf);
    std::vector<std::unique_ptr<recipes::Recipe>> all;
    QByteArrayList names;
    recipes::PartTokens tokens{options.token, std::vector<std::size_t>(parts.size())};
    for (const std::size_t index : sorted) {
        const LockPart& part = parts[index];
        tokens.order[index] = all.size();
        const QByteArray id = part.recipe.isEmpty() ? QByteArray::fromStdString(options.recipe) : part.recipe;
        auto recipe = chooseRecipe(part.connection, id, recipes::Mode::Exclusive, {part.name});
        if (!recipe) return std::unexpected(recipe.error());
        if (const auto refusal = unsafe((*recipe)->info(), options)) return std::unexpected(*refusal);
        all.push_back(*std::move(recipe));
        names += part.name;
    }
    Connection& first = parts.front().connection;
    auto multi = std::make_unique<recipes::MultiRecipe>(first.runtime(), several(), std::move(all), std::move(tokens));
    return std::make_unique<DistributedLock>(first.lockClient(), std::move(multi), withTimelyWatchdog(options),
                                             first.lockEntity(names.join(',')));
}

std::expected<std::unique_ptr<DistributedLock>, LockError> DistributedMultiLock::make() {
    return makeMultiLock(m_parts, m_options);
}

} // namespace lockscope
