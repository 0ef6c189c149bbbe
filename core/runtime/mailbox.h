// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "runtime/reactor.h"

#include <QObject>
#include <functional>
#include <mutex>
#include <vector>

namespace lockscope {

/// Runs functions from any thread on the thread where this object lives, in order, from its event loop. It does what
/// queued Qt calls do, but with a lock that thread checkers can see; Qt's own lock is hidden from them.
class Mailbox : public QObject {
public:
    explicit Mailbox(QObject* parent = nullptr);
    ~Mailbox() override;

    /// Any thread. Functions still in the box when it is destroyed never run.
    void put(std::function<void()> letter);

protected:
    bool event(QEvent* event) override;

private:
    [[gnu::noinline]] void poke(); ///< named in the thread checker's suppressions
    std::shared_ptr<Reactor> m_reactor;
    std::mutex m_lock; ///< guards both members below
    std::vector<std::function<void()>> m_letters;
    bool m_poked = false;
};

} // namespace lockscope
