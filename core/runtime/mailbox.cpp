// SPDX-License-Identifier: Apache-2.0
#include "runtime/mailbox.h"

#include <QCoreApplication>
#include <QEvent>
#include <QPointer>

namespace lockscope {

namespace {
const auto kLetters = static_cast<QEvent::Type>(QEvent::registerEventType());
}

Mailbox::Mailbox(QObject* parent) : QObject(parent), m_reactor(Reactor::ofThisThread()) {
}

Mailbox::~Mailbox() {
    const std::lock_guard lock(m_lock); // the last writer has left
    if (m_poked) m_reactor->arrived();
}

void Mailbox::put(std::function<void()> letter) {
    const std::lock_guard lock(m_lock);
    m_letters.push_back(std::move(letter));
    if (!std::exchange(m_poked, true)) poke();
}

void Mailbox::poke() {
    QCoreApplication::postEvent(this, new QEvent(kLetters));
    m_reactor->announce();
}

bool Mailbox::event(QEvent* event) {
    if (event->type() != kLetters) return QObject::event(event);
    std::vector<std::function<void()>> letters;
    {
        const std::lock_guard lock(m_lock);
        letters.swap(m_letters);
        m_poked = false;
        m_reactor->arrived();
    }
    const QPointer<Mailbox> self(this); // a letter may destroy its box, and those after it with it
    for (const auto& letter : letters) {
        letter();
        if (!self) break;
    }
    return true;
}

} // namespace lockscope
