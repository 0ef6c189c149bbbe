// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "runtime/reactor.h"

#include <QObject>
#include <functional>
#include <mutex>
#include <vector>

namespace lockscope {

/// The way from any thread to the one that this object lives on: what is put in is called there, in order, from its
/// event loop. Does what queued calls do, with a lock that thread checkers can see; theirs is inside Qt.
class Mailbox : public QObject {
public:
    explicit Mailbox(QObject* parent = nullptr);
    ~Mailbox() override;

    /// Any thread. What is still in the box when it is destroyed is never called.
    void put(std::function<void()> letter);

protected:
    bool event(QEvent* event) override;

private:
    [[gnu::noinline]] void poke(); ///< by name in the thread checker's suppressions
    std::shared_ptr<Reactor> m_reactor;
    std::mutex m_lock; ///< of both below
    std::vector<std::function<void()>> m_letters;
    bool m_poked = false;
};

} // namespace lockscope
