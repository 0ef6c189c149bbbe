// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "runtime/signal_count.h"

#include <map>
#include <memory>

namespace lockscope::recipes {

/// What one client process knows of the holds that servers count for its threads: how many each should have there. The
/// server tells threads apart, not lock objects, so all locks of one process share it.
///
/// Whoever changes such a number has its account to itself until the answer is there: two requests of one thread under
/// way at once could not tell which of them a number that nobody knows comes from. See HoldTurn.
class HoldAccounts {
public:
    struct Account {
        int holds = 0;       ///< what the thread should have on the server
        bool unsure = false; ///< the server may have another number: it is told before anything else is asked
        Nanos ends = kNever; ///< of one that is unsure: when the server will have forgotten it by itself
        /// From a first hold to the last one's end. Grants of an earlier one are over, whatever the server has now.
        std::shared_ptr<const void> era;
        bool busy = false;                 ///< somebody has the turn
        int users = 0;                     ///< those that have the turn or wait for it
        std::unique_ptr<SignalCount> next; ///< those that wait, once there were any
    };
    /// A lock's name, and the thread with its mode.
    using Key = std::pair<QByteArray, QByteArray>;

    /// The thread does not hold so many of them any more, as far as it knows itself. `ends`: when the server will have
    /// forgotten them by itself, by the own monotonic clock.
    void giveUp(const Key& key, int holds, Nanos ends);
    /// The server says that the thread holds nothing.
    void nothingHeld(const Key& key);
    /// Whether the server may have another number of them.
    bool isUnsure(const Key& key) const;
    /// Whether holds of that era are over.
    bool isOver(const Key& key, const std::shared_ptr<const void>& era) const;
    /// How many accounts there are.
    std::size_t size() const { return m_accounts.size(); }

private:
    friend class HoldTurn;
    void forgetThoseThatEnded(Nanos now);
    std::map<Key, Account> m_accounts;
    std::size_t m_next = 256; ///< at so many accounts it is time to look which are over
};

/// The turn to change one account; given back when this goes. One that has to be waited for is waited for by coming().
class HoldTurn {
public:
    HoldTurn(Runtime& runtime, std::shared_ptr<HoldAccounts> accounts, HoldAccounts::Key key);
    ~HoldTurn();
    HoldTurn(const HoldTurn&) = delete;
    HoldTurn& operator=(const HoldTurn&) = delete;

    /// Whether it has come.
    bool here() const { return m_here; }
    /// Until it has come, which takes as long as others' requests do; false when not within that time. Throws
    /// Cancelled.
    QCoro::Task<bool> coming(Nanos within, std::stop_token stop);

    /// The account. Precondition: here().
    HoldAccounts::Account& operator*() const { return m_at->second; }
    HoldAccounts::Account* operator->() const { return &m_at->second; }

private:
    bool tryTake();
    Runtime& m_runtime;
    std::shared_ptr<HoldAccounts> m_accounts;
    std::map<HoldAccounts::Key, HoldAccounts::Account>::iterator m_at;
    bool m_here = false;
};

} // namespace lockscope::recipes
