// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/redis/database.h"
#include "sim/redis/engine.h"

#include <array>

namespace lockscope::sim::redisd {

using redis::Args;
using redis::Reply;
using SessionId = RedisEngine::SessionId;

constexpr int kDatabases = 16;

struct Command;
class LuaHost;

/// The content of all databases.
struct Data {
    std::array<Database, kDatabases> databases;
};

struct QueuedCommand {
    const Command* command;
    Args args;
};

/// One connection's state.
struct Session {
    struct Watched {
        int db;
        QByteArray key;
        bool wasExpired; ///< past its deadline when watched: then its removal is no change
    };
    SessionId id = 0;
    int db = 0;
    QByteArray name;
    std::vector<QByteArray> channels, patterns; ///< in the order of subscription
    bool inMulti = false;
    bool brokenMulti = false; ///< a command could not be queued: EXEC will refuse
    std::vector<QueuedCommand> queue;
    std::vector<Watched> watched;
    bool watchedChanged = false;

    std::int64_t subscriptions() const { return std::int64_t(channels.size() + patterns.size()); }
};

/// The state and rights of a running script, for Server::runFromScript.
struct ScriptContext {
    Session session; ///< scripts choose a database for themselves only
    SessionId caller = 0;
    bool readOnly = false;
    bool wrote = false; ///< from its first write on, lack of memory does not stop it
};

/// The engine's inside: databases, sessions, subscriptions, and the way from a command to its reply.
class Server {
public:
    Server(RedisEngine& front, RedisEngine::Clock clock, std::uint64_t seed);
    ~Server();

    SessionId connect();
    void disconnect(SessionId id);
    Reply execute(SessionId id, const Args& args);
    std::optional<std::int64_t> nextExpiryUs() const;
    void expireDue();
    void clear();
    void dropData();
    void apply(const std::vector<RedisEngine::Effect>& effects);
    void setRole(RedisEngine::Role role) { m_role = role; }
    RedisEngine::Role role() const { return m_role; }
    RedisEngine::Data snapshot() const;
    void load(const RedisEngine::Data& data);
    void setFull(bool full) { m_full = full; }
    bool evict(int db, const QByteArray& key);
    std::optional<QByteArray> victim(int db, RedisEngine::Evict policy) const;
    bool inTransaction(SessionId session) const;
    bool isSubscribed(SessionId session) const;

    // --- for commands ---
    std::optional<Reply> askDeployment(SessionId session, const QByteArray& command, const Args& args);
    /// Runs a command whose name and arity were checked, and tells of the changes it made.
    Reply run(const Command& command, Session& session, const Args& args, SessionId by);
    /// As run(), for a script's command: with its additional checks and their error texts.
    Reply runFromScript(ScriptContext& script, const Args& args);

    std::uint64_t steps() const { return m_steps; }
    std::int64_t nowUs() const { return m_nowUs; }
    std::int64_t nowMs() const { return m_nowMs; }
    Database& database(int db) { return m_data.databases[std::size_t(db)]; }
    LuaHost& lua() { return *m_lua; }
    std::uint64_t random();

    /// The key's entry, unless its deadline has passed: then the key is removed.
    Entry* find(int db, const QByteArray& key);
    bool pastDeadline(const Entry& entry) const {
        return entry.deadlineMs != kNoDeadline && m_nowMs > entry.deadlineMs;
    }
    /// Whether the key is hidden because its deadline has passed: only on a replica, which does not remove it.
    bool hidden(const Entry& entry) const { return isReplica() && !m_applying && pastDeadline(entry); }
    bool isReplica() const { return m_role == RedisEngine::Role::Replica; }
    /// Whether a master's effects are being run: then the master's word counts, not the clock.
    bool applying() const { return m_applying; }
    void removeDue(int db);
    /// Notes that the running command changed a key.
    void changed(int db, const QByteArray& key);
    void eraseAll(int db);

    // --- transactions ---
    void watch(Session& session, const QByteArray& key);
    void unwatch(Session& session);
    /// Forgets what was queued and watched.
    void leaveMulti(Session& session);

    // --- subscriptions ---
    bool subscribe(Session& session, const QByteArray& channel, bool pattern);
    bool unsubscribe(Session& session, const QByteArray& channel, bool pattern);
    std::int64_t publish(const QByteArray& channel, const QByteArray& payload);
    struct Topic {
        std::vector<SessionId> subscribers; ///< in the order in which they subscribed
        std::uint64_t number = 0;           ///< in the order of first subscriptions
    };
    using Topics = std::map<QByteArray, Topic>; ///< by name
    const Topics& channels() const { return m_channels; }
    const Topics& patterns() const { return m_patterns; }
    /// In the order of their first subscription.
    static std::vector<Topics::const_iterator> inOrder(const Topics& topics);

private:
    struct Change {
        int db;
        QByteArray key;
        bool expired;
    };
    Reply dispatch(Session& session, const Args& args);
    void readClock();
    void expire(int db, QByteArray key);
    void touchWatchers(int db, const QByteArray& key);
    void tell(SessionId by, const char* command);
    /// The error that any client would get for such a command now (no memory, too few replicas, a replica).
    QByteArray refusedNow(unsigned flags) const;
    unsigned flagsOf(const Command& command, const Session& session, const Args& args) const;
    void addEffect(const Command& command, int db, const Args& args);
    void tellEffects();

    RedisEngine& m_front;
    RedisEngine::Clock m_clock;
    std::uint64_t m_random;
    Data m_data;
    RedisEngine::Role m_role = RedisEngine::Role::Master;
    bool m_applying = false;
    bool m_full = false;
    std::uint64_t m_dirty = 0;                  ///< changes so far
    std::uint64_t m_lookups = 0;                ///< numbers them, for Entry::used
    std::vector<RedisEngine::Effect> m_effects; ///< of the running command
    std::map<SessionId, Session> m_sessions;
    SessionId m_lastSession = 0;
    Topics m_channels, m_patterns;
    std::uint64_t m_lastTopic = 0;
    std::map<std::pair<int, QByteArray>, std::vector<SessionId>> m_watchers;
    std::vector<Change> m_changes;
    int m_depth = 0; ///< of execute(): observers may look while a command runs, at the same instant
    std::int64_t m_nowUs = 0, m_nowMs = 0;
    std::uint64_t m_steps = 0;
    std::unique_ptr<LuaHost> m_lua;
};

/// One command on its way: what a command's function gets.
struct Call {
    Server& server;
    Session& session;
    const Args& args;
    const Command& command;
    SessionId by;

    int argc() const { return int(args.size()); }
    const QByteArray& arg(int i) const { return args[std::size_t(i)]; }
    Database& database() const { return server.database(session.db); }
    Entry* find(const QByteArray& key) const { return server.find(session.db, key); }

    template <typename T>
    struct Found {
        Entry* entry = nullptr;
        T* value = nullptr;
        bool wrongType = false;
    };
    /// The key's value when it is a T.
    template <typename T>
    Found<T> get(const QByteArray& key) const {
        Entry* entry = find(key);
        if (!entry) return {};
        T* value = std::get_if<T>(&entry->value);
        return {entry, value, value == nullptr};
    }
    /// A new, empty value of type T. Precondition: there is no such key.
    template <typename T>
    T& create(const QByteArray& key) const {
        return database().obtain(key).value.emplace<T>();
    }
    void changed(const QByteArray& key) const { server.changed(session.db, key); }
    /// Deletes the key and notes the change.
    void remove(const QByteArray& key) const {
        const QByteArray kept = key;
        if (database().erase(kept)) changed(kept);
    }
};

} // namespace lockscope::sim::redisd
