// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/lock_error.h"

#include <QCoreApplication>

namespace lockscope {

/// The error of a request that only asks. Its outcome is never unknown: nothing was changed.
inline LockError ofQuestion(LockError error) {
    if (error.kind != LockError::Kind::OutcomeUnknown) return error;
    error.kind = LockError::Kind::Unreachable;
    error.message += QLatin1Char(' ');
    error.message += QCoreApplication::translate("LockError", "It was only a question: nothing was changed.");
    return error;
}

} // namespace lockscope
