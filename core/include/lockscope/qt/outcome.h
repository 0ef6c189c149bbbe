// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <lockscope/lock_exception.h>

#if (defined(_MSVC_LANG) ? _MSVC_LANG : __cplusplus) <= 202002L
#error "Lockscope's coroutines need C++23: compile with -std=c++23, or take <lockscope/blocking.h>, which needs C++20."
#endif

#include <QCoroTask>
#include <QString>
#include <expected>

/// Locks as coroutines, for programs that run a Qt event loop. All objects are single-threaded: use them on the thread
/// that made them. Times are nanoseconds; a wait of 0 is one try, nanoseconds::max() no bound. Threads are logical
/// ones, numbered from 1.
namespace lockscope::qt {

/// Why an operation failed: the kind, and one translated sentence that never contains a password. A stop request is
/// ErrorKind::Interrupted.
struct Error {
    ErrorKind kind = ErrorKind::Refused;
    QString message;
};

/// A coroutine's result.
template <typename T>
using Outcome = QCoro::Task<std::expected<T, Error>>;

} // namespace lockscope::qt
