// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "scenario/actions.h"
#include "session/session.h"
#include "trace/state.h"

#include <span>

namespace lockscope::session {

/// Something that faults are done to: a client, a server, a link, or the whole world. Menus, buttons and keys ask here
/// what it can bear. It looks at the world as it stood at one instant; make a new one for another instant. Cheap to
/// make and to copy. GUI thread.
class Breakable {
public:
    /// The world that it belongs to, and how it stands at that instant. All of it must outlive the breakable.
    struct Sight {
        Session* session = nullptr; ///< null: nothing is open
        const trace::Trace& trace;
        const trace::State& state;
        const scenario::Scenario& settings;
    };
    enum class Kind : std::uint8_t { Client, Server, Link, World };

    /// kNoEntity stands for one that is not there yet: it has no name, and can bear nothing.
    static Breakable client(const Sight& sight, trace::EntityId client);
    static Breakable server(const Sight& sight, trace::EntityId server);
    static Breakable link(const Sight& sight, trace::EntityId first, trace::EntityId second);
    static Breakable world(const Sight& sight);
    /// The target that a scenario's words name for this action; nullopt when nobody has that name.
    static std::optional<Breakable> named(const Sight& sight, scenario::Action action, const QString& target);

    Kind kind() const { return m_kind; }
    /// As scenarios write it: "A", "redis-1", "A-redis-1"; of the world empty.
    QString name() const;
    /// As a person reads it: "A", "redis-1", "A ↔ redis-1".
    QString displayName() const;
    /// All that can be done to a thing of this kind, somewhere, without what only undoes; in the order of menus.
    std::span<const scenario::Action> actions() const;
    /// Whether this action can be done to it at this instant; the reason against it is a sentence.
    std::expected<void, QString> can(scenario::Action action) const;
    /// Whether it suffers from this fault at this instant: of PauseClient, whether the client is paused.
    bool suffers(scenario::Action fault) const;
    /// Whether a server that is killed and started again has its data, or a copy of a master's; the reason against it
    /// is a sentence.
    std::expected<void, QString> keepsItsData() const;
    /// The fault that ends this one, if it suffers from it and there is such an action: ResumeClient for PauseClient.
    std::optional<scenario::Fault> cure(scenario::Action fault) const;
    /// Does it at `at`, as done by hand, if it can(). `value`: for DelayLink and JumpClock; `text`: for EvictKey, the
    /// lock's name, empty: the first one. The answer is what makes it
    /// good again, or nothing where nothing lasts. A refusal by the world itself is told by Session::complained().
    std::expected<std::optional<scenario::Fault>, QString> strike(scenario::Action action, Nanos value, Nanos at,
                                                                  const QString& text = {}) const;
    /// Whether this action can be done, at this instant or after some other fault, to anything of that kind in this
    /// world; the reason against it is a sentence. For faults that are planned, whose targets may be dead or paused
    /// now.
    static std::expected<void, QString> everCan(const Sight& sight, Kind kind, scenario::Action action);

private:
    Breakable(const Sight& sight, Kind kind, trace::EntityId first, trace::EntityId second)
        : m_sight(sight), m_kind(kind), m_first(first), m_second(second) {}
    std::expected<void, QString> clientCan(scenario::Action action) const;
    std::expected<void, QString> serverCan(scenario::Action action) const;
    std::expected<void, QString> linkCan(scenario::Action action) const;
    std::expected<void, QString> canFailOver() const;
    /// Whether the server can lose keys while it runs.
    std::expected<void, QString> canDrop() const;
    /// `action`: StallDisk or FreeDisk.
    std::expected<void, QString> canStall(scenario::Action action) const;
    /// `action`: ExhaustPool or FreePool.
    std::expected<void, QString> canPool(scenario::Action action) const;
    /// Whether strangers have all connections of the pool that the clients of this database share.
    bool poolExhausted() const;
    const trace::ClientState& clientState() const;
    const trace::NodeState& serverState(trace::EntityId server) const;
    bool anyLink(bool (*holds)(const trace::LinkState&)) const;
    trace::ClientState::Life life() const;
    const trace::WallClock& clock() const;

    Sight m_sight;
    Kind m_kind;
    trace::EntityId m_first, m_second; ///< the second: of a link only
};

/// How often a holder renews its lease under these settings; 0 where nothing does, or the recipe cannot.
Nanos watchdogPeriod(const scenario::Scenario& settings);

} // namespace lockscope::session
