// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "client/qt/connection_impl.h"
#include "lock/lock_exception.h"
#include "recipes/recipe.h"

#include <lockscope/qt/outcome.h>

namespace lockscope::qt {

/// The public form of an error.
inline Error toldOf(const LockError& error) {
    return {kindOf(error.kind), error.message};
}

/// A result as programs get it; a stop request becomes an error. `kept` lives until then.
template <typename T>
Outcome<T> told(recipes::Outcome<T> inner, std::shared_ptr<Backing> kept = nullptr) {
    const std::shared_ptr<Backing> here = std::move(kept);
    std::expected<T, LockError> result = std::unexpected(LockError());
    try {
        result = co_await inner;
    } catch (const Cancelled&) {
        result =
            std::unexpected(LockError{LockError::Kind::Interrupted, QString::fromUtf8(InterruptedException().what())});
    }
    if (!result) co_return std::unexpected(toldOf(result.error()));
    if constexpr (std::is_void_v<T>)
        co_return std::expected<void, Error>();
    else
        co_return *std::move(result);
}

/// A result that is an error already.
template <typename T>
Outcome<T> failed(Error error) {
    co_return std::unexpected(std::move(error));
}

} // namespace lockscope::qt
