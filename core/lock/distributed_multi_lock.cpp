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
            return refused(QCoreApplication::translate("LockError", "The connections of a MultiLock's parts belong "
                                                                    "together: make all but the first beside it."));
        }
        if (known.emplace(connection.url().address(), part.name).second) continue;
        return refused(QCoreApplication::translate("LockError",
                                                   "A lock of several names “%1” on %2 twice: it would wait "
                                                   "for itself.")
                           .arg(QString::fromUtf8(part.name), connection.url().display()));
    }
    return std::nullopt;
}

/// The places of the parts, in the same order in all processes.
std::vector<std::size_t> sorted(const std::vector<LockPart>& parts) {
    const auto placeOf = [&](std::size_t index) {
        const Connection& connection = parts[index].connection;
        return std::tuple(connection.backend(), connection.url().address(), parts[index].name, index);
    };
    std::vector<std::size_t> order(parts.size());
    std::iota(order.begin(), order.end(), std::size_t(0));
    std::ranges::sort(order, {}, placeOf);
    return order;
}

/// Their names, in the order in which they are taken.
QByteArray namesOf(const std::vector<LockPart>& parts, const char* between) {
    QByteArrayList names;
    for (const std::size_t index : sorted(parts))
        names += parts[index].name;
    return names.join(between);
}

/// The recipe's facts as they are until its parts have told what they can do. Programs know no id of it: errors use the
/// summary.
recipes::RecipeInfo several(const QByteArray& names) {
    recipes::RecipeInfo info = *recipes::findRecipe("redis-multi");
    info.id = "multi";
    info.backend = "several";
    info.summary = QCoreApplication::translate("LockError", "Several locks as one (%1)").arg(QString::fromUtf8(names));
    info.layout = QByteArray();
    info.simulated = false;
    return info;
}
} // namespace

std::expected<std::unique_ptr<recipes::Recipe>, LockError> makeMultiRecipe(const std::vector<LockPart>& parts,
                                                                           const LockOptions& options) {
    if (const auto wrong = wrongIn(parts)) return std::unexpected(*wrong);
    std::vector<std::unique_ptr<recipes::Recipe>> all;
    recipes::PartTokens tokens{options.token, std::vector<std::size_t>(parts.size())};
    for (const std::size_t index : sorted(parts)) {
        const LockPart& part = parts[index];
        tokens.order[index] = all.size();
        const QByteArray id = part.recipe.isEmpty() ? QByteArray::fromStdString(options.recipe) : part.recipe;
        auto recipe = chooseRecipe(part.connection, id, recipes::Mode::Exclusive, {part.name});
        if (!recipe) return std::unexpected(recipe.error());
        if (const auto refusal = unsafe((*recipe)->info(), options)) return std::unexpected(*refusal);
        all.push_back(*std::move(recipe));
    }
    Runtime& runtime = parts.front().connection.get().runtime();
    return std::make_unique<recipes::MultiRecipe>(runtime, several(namesOf(parts, ", ")), std::move(all),
                                                  std::move(tokens));
}

std::expected<std::unique_ptr<DistributedLock>, LockError> makeMultiLock(const std::vector<LockPart>& parts,
                                                                         LockOptions options) {
    if (const auto wrong = wrongIn(options)) return std::unexpected(*wrong);
    auto multi = makeMultiRecipe(parts, options);
    if (!multi) return std::unexpected(multi.error());
    Connection& first = parts.front().connection;
    return std::make_unique<DistributedLock>(first.lockClient(), *std::move(multi), withTimelyWatchdog(options),
                                             first.lockEntity(namesOf(parts, ",")));
}

std::expected<std::unique_ptr<AnyLock>, LockError> DistributedMultiLock::make() {
    return makeMultiLock(m_parts, m_options);
}

} // namespace lockscope
