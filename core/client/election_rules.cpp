// SPDX-License-Identifier: Apache-2.0
#include "client/election_rules.h"

#include <QCoreApplication>

namespace lockscope {

LockOptions electionOptions() {
    LockOptions options;
    options.lease = std::chrono::seconds(10);
    options.watchdog = options.lease / 3;
    return options;
}

std::optional<LockError> wrongForElections(const LockOptions& options) {
    if (options.watchdog > Nanos(0)) return std::nullopt;
    return LockError{LockError::Kind::Refused,
                     QCoreApplication::translate("LockError", "An election needs a watchdog: LockOptions::watchdog "
                                                              "is 0, and the leader would end with its lease.")};
}

std::optional<LockError> wrongForElections(const recipes::RecipeInfo& recipe) {
    if (recipe.heldBy != recipes::HeldBy::Nothing) return std::nullopt;
    return LockError{LockError::Kind::NotSupported,
                     QCoreApplication::translate("LockError",
                                                 "The recipe “%1” cannot elect a leader: nothing would end "
                                                 "the leadership of one that dies.")
                         .arg(QString::fromLatin1(recipe.id))};
}

} // namespace lockscope
