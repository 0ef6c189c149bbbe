// SPDX-License-Identifier: Apache-2.0
#include "workload/client_locks.h"

#include <algorithm>

namespace lockscope::workload {

ClientLocks::Use* ClientLocks::known(const QByteArrayList& names) {
    const auto found = std::ranges::find_if(
        m_uses, [&](const std::unique_ptr<Use>& use) { return std::ranges::is_permutation(use->names, names); });
    return found == m_uses.end() ? nullptr : found->get();
}

ClientLocks::Use* ClientLocks::of(const QByteArrayList& names) {
    if (Use* const use = known(names)) return use;
    auto lock = m_make(names);
    if (!lock) return nullptr;
    m_uses.push_back(std::make_unique<Use>(Use{names, std::move(lock)}));
    Use* const use = m_uses.back().get();
    use->lock->listen([this, use](DistributedLock::Event event, const QByteArray&, const QString&) {
        if (event == DistributedLock::Event::Acquired) use->since = m_now();
    });
    return use;
}

void ClientLocks::asks(Use& use) {
    use.asking = true;
    use.since = m_now();
}

} // namespace lockscope::workload
