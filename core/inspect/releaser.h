// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/lock_row.h"
#include "ports/diallers.h"

#include <expected>
#include <memory>
#include <qcoro/qcorotask.h>
#include <stop_token>

namespace lockscope::inspect {

/// The result of taking a lock away.
enum class Freed : std::uint8_t {
    Freed,
    WasFree,       ///< nobody held it any more: nothing was changed
    HeldByAnother, ///< other holders than those seen have it by now: nothing was changed
    NotAsSeen,     ///< one or the other: nothing was changed
};

/// Frees locks of a server by force, each only while it is held as it was seen. It has a client of its own that may
/// write, as no watcher has: make one only where the user allows changes.
///
/// Lives on its runtime's thread; the runtime must outlive it. Coroutines in flight must have ended before it goes.
class Releaser {
public:
    virtual ~Releaser() = default;

    /// The commands that free() would send, as people write them to this kind of server. Sends nothing. The error is a
    /// sentence: why this lock cannot be freed from here.
    virtual std::expected<QByteArrayList, QString> commands(const LockRow& seen) = 0;
    /// Takes the lock away from the holders that `seen` tells. The error is a sentence: it cannot be freed from here,
    /// the server refused, or whether it was freed is not known. Throws Cancelled.
    virtual QCoro::Task<std::expected<Freed, QString>> free(LockRow seen, std::stop_token stop = {}) = 0;
};

/// The releaser for a URL that a watcher can be made for. The error is a sentence.
std::expected<std::unique_ptr<Releaser>, QString> makeReleaser(Runtime& runtime, const ConnectionUrl& url,
                                                               const Diallers& diallers);

/// The error for a lock whose layout does not tell one hold from the next.
QString cannotBeFreed(const LockRow& seen);

} // namespace lockscope::inspect
