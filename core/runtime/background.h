// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "runtime/mailbox.h"
#include "runtime/service_thread.h"

#include <memory>
#include <optional>
#include <type_traits>

namespace lockscope {

/// Work of a window or panel beside the GUI thread: one thing after the other on a thread that comes into being with
/// the first of them, and each thing's consequence where this object lives. Unlike a pool of Qt's, its lock can be seen
/// by thread checkers.
class Background {
public:
    /// `name` is for debuggers; at most 15 characters are used.
    explicit Background(QByteArray name);
    /// Waits until the work that was given is done; consequences that have not come by then never do.
    ~Background();
    Background(const Background&) = delete;
    Background& operator=(const Background&) = delete;

    /// Runs `work` on the other thread, and then `after` on this one, from its event loop.
    void run(std::function<void()> work, std::function<void()> after);
    /// As above, for work that has a result: `after` gets it.
    template <typename Work, typename After>
    requires(!std::is_void_v<std::invoke_result_t<Work>>) void run(Work work, After after) {
        auto result = std::make_shared<std::optional<std::invoke_result_t<Work>>>();
        run(std::function<void()>([result, work = std::move(work)] { result->emplace(work()); }),
            std::function<void()>([result, after = std::move(after)] { after(std::move(**result)); }));
    }

private:
    const QByteArray m_name;
    Mailbox m_home;
    std::unique_ptr<ServiceThread> m_thread; ///< last member: what it runs uses the others
};

} // namespace lockscope
