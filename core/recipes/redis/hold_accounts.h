// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "runtime/signal_count.h"

#include <map>
#include <memory>

namespace lockscope::recipes {

/// Identifies the time from a thread's first hold to the end of its last one.
struct HoldEra {};

/// One client process's knowledge of the holds that servers count for its threads: how many each should have. The
/// server distinguishes threads, not lock objects, so all locks of a process share this.
///
/// Only one request at a time may change an account (see HoldTurn): with two requests of one thread in flight, an
/// unexpected count could not be attributed to either.
class HoldAccounts {
public:
    struct Account {
        int holds = 0;       ///< number of holds that the thread should have on the server
        bool unsure = false; ///< the server may have another number: it is corrected before the next request
        Nanos ends = kNever; ///< if unsure: when the server will have forgotten the holds by itself
        /// Grants of an earlier era are over, whatever the server has. nullptr: no holds.
        std::shared_ptr<const HoldEra> era;
        bool busy = false;                 ///< a coroutine has the turn
        int users = 0;                     ///< how many have the turn or wait for it
        std::unique_ptr<SignalCount> next; ///< the waiters for the turn; made at first use
    };
    /// A lock's name, and the thread with its mode.
    using Key = std::pair<QByteArray, QByteArray>;

    /// By its own account the thread no longer has `holds` of its holds. `ends`, own monotonic clock: when the server
    /// will have forgotten them by itself.
    void giveUp(const Key& key, int holds, Nanos ends);
    /// The server says that the thread holds nothing.
    void nothingHeld(const Key& key);
    /// Whether the server may have another number of holds.
    bool isUnsure(const Key& key) const;
    /// Whether holds of that era are over.
    bool isOver(const Key& key, const std::shared_ptr<const HoldEra>& era) const;
    /// The number of accounts.
    std::size_t size() const { return m_accounts.size(); }

private:
    friend class HoldTurn;
    void forgetThoseThatEnded(Nanos now);
    std::map<Key, Account> m_accounts;
    std::size_t m_next = 256; ///< number of accounts at which ended ones are removed
};

/// The turn to change one account; the destructor gives it back. If it is not free at once, coming() waits for it.
class HoldTurn {
public:
    HoldTurn(Runtime& runtime, std::shared_ptr<HoldAccounts> accounts, HoldAccounts::Key key);
    ~HoldTurn();
    HoldTurn(const HoldTurn&) = delete;
    HoldTurn& operator=(const HoldTurn&) = delete;

    /// Whether this has the turn.
    bool here() const { return m_here; }
    /// Waits for the turn, as long as other requests take; false when not within that time. Throws Cancelled.
    QCoro::Task<bool> coming(Nanos within, std::stop_token stop);

    /// The account. Precondition: here().
    HoldAccounts::Account& operator*() const {
        Q_ASSERT(m_here);
        return m_at->second;
    }
    HoldAccounts::Account* operator->() const { return &**this; }

private:
    bool tryTake();
    Runtime& m_runtime;
    std::shared_ptr<HoldAccounts> m_accounts;
    std::map<HoldAccounts::Key, HoldAccounts::Account>::iterator m_at;
    bool m_here = false;
};

} // namespace lockscope::recipes
