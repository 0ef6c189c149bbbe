// SPDX-License-Identifier: Apache-2.0
#include "lock/warning.h"

#include <memory>
#include <mutex>

namespace lockscope {

namespace {
using Handler = std::function<void(const std::string&)>;

struct Current {
    std::mutex guard; ///< of what follows
    std::shared_ptr<const Handler> handler;

    /// Never destroyed: threads may warn while the program ends.
    static Current& get() {
        static auto* const current = new Current;
        return *current;
    }
};
} // namespace

void onWarning(Handler handler) {
    Current& current = Current::get();
    auto next = handler ? std::make_shared<const Handler>(std::move(handler)) : nullptr;
    const std::lock_guard held(current.guard);
    current.handler.swap(next);
}

namespace detail {

void warn(const QString& sentence) noexcept {
    std::shared_ptr<const Handler> handler;
    {
        Current& current = Current::get();
        const std::lock_guard held(current.guard);
        handler = current.handler;
    }
    if (!handler) {
        qWarning("Lockscope: %s", qUtf8Printable(sentence));
        return;
    }
    try {
        (*handler)(sentence.toStdString());
    } catch (...) {
        qWarning("Lockscope: a handler of warnings threw; it must not throw.");
    }
}

} // namespace detail

} // namespace lockscope
