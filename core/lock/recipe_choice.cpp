// SPDX-License-Identifier: Apache-2.0
#include "lock/recipe_choice.h"

#include <QCoreApplication>

namespace lockscope {

namespace {
QString nameOf(recipes::Mode mode) {
    switch (mode) {
    case recipes::Mode::Exclusive:
        return QCoreApplication::translate("LockError", "exclusive holds");
    case recipes::Mode::Shared:
        return QCoreApplication::translate("LockError", "shared holds");
    case recipes::Mode::Permit:
        return QCoreApplication::translate("LockError", "permits");
    }
    return {};
}
} // namespace

bool offers(const recipes::RecipeInfo& recipe, recipes::Mode mode) {
    switch (mode) {
    case recipes::Mode::Exclusive:
        return recipe.exclusive;
    case recipes::Mode::Shared:
        return recipe.shared;
    case recipes::Mode::Permit:
        return recipe.permits;
    }
    return false;
}

LockError notOffered(const recipes::RecipeInfo& recipe, recipes::Mode mode) {
    QStringList others;
    for (const recipes::RecipeInfo& other : recipes::allRecipes()) {
        if (other.backend == recipe.backend && other.id != recipe.id && !other.naive && offers(other, mode))
            others += QString::fromLatin1(other.id);
    }
    const QString sentence =
        others.isEmpty()
            ? QCoreApplication::translate("LockError", "The recipe “%1” offers no %2, nor does any other there.")
                  .arg(QString::fromLatin1(recipe.id), nameOf(mode))
            : QCoreApplication::translate("LockError", "The recipe “%1” offers no %2; take %3.")
                  .arg(QString::fromLatin1(recipe.id), nameOf(mode), others.join(QStringLiteral(", ")));
    return {LockError::Kind::NotSupported, sentence};
}

namespace {
bool unknownLease(const LockError& error, recipes::HeldBy heldBy) {
    return error.kind == LockError::Kind::OutcomeUnknown && heldBy == recipes::HeldBy::Lease;
}

LockError with(LockError error, const QString& sentence) {
    error.message += QLatin1Char(' ');
    error.message += sentence;
    return error;
}

qint64 secondsUp(Nanos duration) {
    return std::chrono::ceil<std::chrono::seconds>(duration).count();
}
} // namespace

LockError mayBeGranted(LockError error, recipes::HeldBy heldBy, Nanos lease) {
    if (!unknownLease(error, heldBy)) return error;
    return with(std::move(error),
                QCoreApplication::translate("LockError", "If the server does it all the same, the lock is free by "
                                                         "itself at most %1 s after that.")
                    .arg(secondsUp(lease)));
}

LockError mayBeHeldStill(LockError error, recipes::HeldBy heldBy, Nanos left) {
    if (!unknownLease(error, heldBy) || left == kNever) return error;
    return with(std::move(error),
                QCoreApplication::translate("LockError", "If it was not done, the lock is free by itself within %1 s.")
                    .arg(secondsUp(left)));
}

LockError epochTooHigh(std::int64_t epoch) {
    return {LockError::Kind::Refused,
            QCoreApplication::translate("LockError", "The epoch %1 does not fit into a token: it is 0 to %2.")
                .arg(epoch)
                .arg(kMostEpochs)};
}

std::optional<LockError> wrongLease(Nanos lease) {
    if (lease > kLongestLease) {
        return LockError{LockError::Kind::Refused,
                         QCoreApplication::translate("LockError", "No server grants a lease without end: 100 years at "
                                                                  "most. Let a watchdog renew a shorter one.")};
    }
    if (lease >= 1ms) return std::nullopt;
    return LockError{LockError::Kind::Refused,
                     QCoreApplication::translate("LockError", "A lease of %1 ms cannot be granted: servers count whole "
                                                              "milliseconds. Ask for 1 ms at least.")
                         .arg(std::chrono::duration<double, std::milli>(lease).count())};
}

std::optional<LockError> wrongIn(const HoldOptions& options) {
    if (const auto wrong = wrongLease(options.lease)) return wrong;
    if (std::min({options.watchdog, options.maxHold, options.minHold}) < Nanos(0)) {
        return LockError{LockError::Kind::Refused,
                         QCoreApplication::translate("LockError",
                                                     "A watchdog's period and the longest and shortest time "
                                                     "of a hold cannot be negative: 0 is none.")};
    }
    if (options.epoch < 0 || options.epoch > kMostEpochs) return epochTooHigh(options.epoch);
    return std::nullopt;
}

std::optional<LockError> unsafe(const recipes::RecipeInfo& recipe, const LockOptions& options) {
    if (!recipe.naive || options.allowNaive) return std::nullopt;
    return LockError{LockError::Kind::Refused,
                     QCoreApplication::translate("LockError",
                                                 "The recipe “%1” is unsafe: it exists to be seen failing. "
                                                 "Take another one, or set LockOptions::allowNaive.")
                         .arg(QString::fromLatin1(recipe.id))};
}

HoldOptions withTimelyWatchdog(HoldOptions options) {
    if (options.watchdog >= options.lease) options.watchdog = options.lease / 3;
    return options;
}

namespace {
/// A recipe may offer less over this server than over another of its kind.
std::expected<std::unique_ptr<recipes::Recipe>, LockError>
offering(std::expected<std::unique_ptr<recipes::Recipe>, LockError> made, recipes::Mode mode) {
    if (made && !offers((*made)->info(), mode)) return std::unexpected(notOffered((*made)->info(), mode));
    return made;
}
} // namespace

std::expected<std::unique_ptr<recipes::Recipe>, LockError> chooseRecipe(Connection& connection, const QByteArray& id,
                                                                        recipes::Mode mode, LockSpec spec) {
    if (!id.isEmpty()) {
        const recipes::RecipeInfo* const info = recipes::findRecipe(id);
        if (info && !offers(*info, mode)) return std::unexpected(notOffered(*info, mode));
        return offering(connection.makeRecipe(id, std::move(spec)), mode);
    }
    const recipes::RecipeInfo* const usual = recipes::findRecipe(connection.defaultRecipe());
    if (usual && offers(*usual, mode)) return offering(connection.makeRecipe(usual->id, std::move(spec)), mode);
    std::optional<LockError> refusal;
    for (const recipes::RecipeInfo& info : recipes::allRecipes()) {
        if (info.backend != connection.backend() || info.naive || !offers(info, mode)) continue;
        auto recipe = offering(connection.makeRecipe(info.id, spec), mode);
        if (recipe) return recipe;
        if (!refusal) refusal = recipe.error();
    }
    if (refusal) return std::unexpected(*refusal);
    return std::unexpected(
        LockError{LockError::Kind::NotSupported, QCoreApplication::translate("LockError", "No recipe on %1 offers %2.")
                                                     .arg(connection.url().display(), nameOf(mode))});
}

} // namespace lockscope
