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

/// An event of a watch.
struct WatchEvent {
    enum class Kind : std::uint8_t {
        Created,
        Deleted,
        Changed,   ///< its data changed
        Children,  ///< children were added or removed
        Session,   ///< the server has answered again: Session has news
        Suspended, ///< the connection is lost; node events may be late, look again when it is back
        Lost,      ///< the session has ended, and all watches with it
    };
    Kind kind = Kind::Changed;
    QByteArray path; ///< for node events
};

class WatchHub;

/// Receives changes of nodes and of the session for a coroutine; any number of them may feed one Watch. A node's watch
/// fires once, as in ZooKeeper; set it again with the next read. Copies share it; one coroutine may wait.
class Watch {
public:
    Watch() : m_state(std::make_shared<State>()) {}

    /// The next event, in order; nullopt when none came within `timeout`. Throws Cancelled.
    QCoro::Task<std::optional<WatchEvent>> next(Runtime& runtime, Nanos timeout, std::stop_token stop = {}) const;
    /// Ends the present wait as if its time were over.
    void nudge() const {
        if (m_state->waiter) m_state->waiter->wake();
    }
    /// Discards events that nobody took.
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
        std::vector<std::uint64_t> nodes;                 ///< ids of the registrations that name it
        std::optional<std::list<State*>::iterator> place; ///< its place among the session's watches
    };
    std::shared_ptr<State> m_state;
};

/// Which watches wait for which node of one session. At the server, a node has one watch per kind of read, whoever
/// asked for it; each has a fixed id here while it is set, so that repeated reads do not accumulate.
class WatchHub : public std::enable_shared_from_this<WatchHub> {
public:
    enum class Table : char { Data = 'd', Existence = 'e', Children = 'c' };

    /// The id under which fire() will call `watch`; the read that sets it is in flight.
    std::uint64_t add(Table table, const QByteArray& path, const Watch& watch);
    /// Call once per add(), when its read has ended: the server has (not) set the watch.
    void settled(std::uint64_t id, bool set);
    void fire(std::uint64_t id, const WatchEvent& event);
    void addSession(const Watch& watch);
    /// Reports to the watches of the session; Suspended and Lost also to those of nodes. Lost ends all node watches.
    void tellSession(WatchEvent::Kind kind);

private:
    friend struct Watch::State;
    struct Node {
        QByteArray key;
        bool set = false; ///< the server has set it
        int looks = 0;    ///< reads in flight that may yet set it
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
