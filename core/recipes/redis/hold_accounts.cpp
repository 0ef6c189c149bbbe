// SPDX-License-Identifier: Apache-2.0
#include "recipes/redis/hold_accounts.h"

namespace lockscope::recipes {

void HoldAccounts::giveUp(const Key& key, int holds, Nanos ends) {
    Account& account = m_accounts[key];
    account.holds = std::max(account.holds - holds, 0);
    account.unsure = true;
    account.ends = ends;
}

void HoldAccounts::nothingHeld(const Key& key) {
    const auto found = m_accounts.find(key);
    if (found == m_accounts.end()) return;
    found->second.holds = 0;
    found->second.era = nullptr;
    if (found->second.users == 0) m_accounts.erase(found);
}

bool HoldAccounts::isUnsure(const Key& key) const {
    const auto found = m_accounts.find(key);
    return found != m_accounts.end() && found->second.unsure;
}

bool HoldAccounts::isOver(const Key& key, const std::shared_ptr<const HoldEra>& era) const {
    if (!era) return false;
    const auto found = m_accounts.find(key);
    return found == m_accounts.end() || found->second.era != era;
}

void HoldAccounts::forgetThoseThatEnded(Nanos now) {
    std::erase_if(m_accounts, [now](const auto& entry) {
        const Account& account = entry.second;
        return account.users == 0 && account.holds == 0 && account.ends <= now;
    });
    m_next = 2 * m_accounts.size() + 256;
}

HoldTurn::HoldTurn(Runtime& runtime, std::shared_ptr<HoldAccounts> accounts, HoldAccounts::Key key)
    : m_runtime(runtime), m_accounts(std::move(accounts)) {
    if (m_accounts->size() >= m_accounts->m_next) m_accounts->forgetThoseThatEnded(runtime.monotonic());
    m_at = m_accounts->m_accounts.try_emplace(std::move(key)).first;
    ++m_at->second.users;
    tryTake();
}

HoldTurn::~HoldTurn() {
    HoldAccounts::Account& account = m_at->second;
    if (m_here) account.busy = false;
    // Also when it had not come: it may have been on its way here.
    if (!account.busy && account.next && account.next->waiting() > 0) account.next->release();
    if (--account.users == 0 && account.holds == 0 && !account.unsure) m_accounts->m_accounts.erase(m_at);
}

bool HoldTurn::tryTake() {
    if (m_at->second.busy) return false;
    return m_here = m_at->second.busy = true;
}

QCoro::Task<bool> HoldTurn::coming(Nanos within, std::stop_token stop) {
    HoldAccounts::Account& account = m_at->second;
    if (!account.next) account.next = std::make_unique<SignalCount>();
    const Nanos giveUpAt = laterBy(m_runtime.monotonic(), within);
    while (!tryTake()) {
        const Nanos left = giveUpAt == kNever ? kNever : giveUpAt - m_runtime.monotonic();
        if (left <= Nanos(0)) co_return false;
        co_await account.next->acquire(m_runtime, left, stop);
    }
    co_return true;
}

} // namespace lockscope::recipes
