// SPDX-License-Identifier: Apache-2.0
#include "runtime/background.h"

#include <utility>

namespace lockscope {

Background::Background(QByteArray name) : m_name(std::move(name)) {
}

Background::~Background() = default;

void Background::run(std::function<void()> work, std::function<void()> after) {
    if (!m_thread) m_thread = std::make_unique<ServiceThread>(m_name);
    m_thread->put([this, work = std::move(work), after = std::move(after)]() mutable {
        work();
        m_home.put(std::move(after));
    });
}

} // namespace lockscope
