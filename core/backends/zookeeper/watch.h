// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "runtime/runtime.h"

#include <QByteArray>
#include <QHash>
#include <deque>
#include <list>
#include <memory>
#include <optional>
#include <vector>

namespace lockscope::zookeeper {

/// What a watch tells.
struct WatchEvent {
    enum class Kind : std::uint8_t {
        Created,
        Deleted,
        Changed,   ///< its data
        Children,  ///< of the node: some came or went
        Session,   ///< heard from the server again: Session has news
        Suspended, ///< the connection is lost; node events may be late, look again when it is back
        Lost,      ///< the session has ended, and with it every watch
    };
    Kind kind = Kind::Changed;
    QByteArray path; ///< of the node events
};

class WatchHub;

/// What a coroutine waits on for changes of nodes and of the session: any number of them feed one Watch. A node's watch
/// tells once, as ZooKeeper's do; ask again with the next look at the node. Copies share it; one coroutine may wait.
class Watch {
public:
    Watch() : m_state(std::make_shared<State>()) {}

    /// The next event, in order; nullopt when none came within `timeout`. Throws Cancelled.
    QCoro::Task<std::optional<WatchEvent>> next(Runtime& runtime, Nanos timeout, std::stop_token stop = {}) const;
    /// Ends the wait under way as if its time were over.
    void nudge() const {
        if (m_state->waiter) m_state->waiter->wake();
    }
    /// Forgets events that nobody took.
    void clear() const { m_state->events.clear(); }

private:
    friend class WatchHub;
    struct State {
        State() = default;
        ~State();
        State(const State&) = delete;
        State& operator=(const State&) = delete;
        void tell(const WatchEvent& event);
        std::deque<WatchEvent> events;
        Waiter* waiter = nullptr;
        std::weak_ptr<WatchHub> hub;
        std::vector<std::uint64_t> nodes;                 ///< registrations that name it
        std::optional<std::list<State*>::iterator> place; ///< among the session's watches
    };
    std::shared_ptr<State> m_state;
};

/// Which watches wait for which node of one session. A node's watch at the server is one per kind of look, whoever
/// asks for it: each has an id here that does not change while it is set, so that asking again does not add up.
class WatchHub : public std::enable_shared_from_this<WatchHub> {
public:
    enum class Table : char { Data = 'd', Existence = 'e', Children = 'c' };

    /// The id under which fire() will tell `watch`; a look that asks for it is under way.
    std::uint64_t add(Table table, const QByteArray& path, const Watch& watch);
    /// That look is over, once for each: the server has (not) set the watch.
    void settled(std::uint64_t id, bool set);
    void fire(std::uint64_t id, const WatchEvent& event);
    void addSession(const Watch& watch);
    /// Tells those that watch the session; Suspended and Lost, also those that watch nodes. Lost ends all node watches.
    void tellSession(WatchEvent::Kind kind);

private:
    friend struct Watch::State;
    struct Node {
        QByteArray key;
        bool set = false; ///< the server knows of it
        int looks = 0;    ///< under way, which may yet set it
        std::vector<Watch::State*> watches;
    };
    void forget(Watch::State& state);
    void erase(std::uint64_t id);
    std::uint64_t m_lastId = 0;
    QHash<std::uint64_t, Node> m_nodes;
    QHash<QByteArray, std::uint64_t> m_ids;
    std::list<Watch::State*> m_session;
};

} // namespace lockscope::zookeeper
