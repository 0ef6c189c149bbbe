// SPDX-License-Identifier: Apache-2.0
#include "sim/redis/server.h"

#include "sim/redis/command.h"
#include "sim/redis/glob.h"
#include "sim/redis/lua_host.h"

namespace lockscope::sim::redisd {

Server::Server(RedisEngine& front, RedisEngine::Clock clock, std::uint64_t seed)
    : m_front(front), m_clock(std::move(clock)), m_random(seed), m_lua(std::make_unique<LuaHost>(*this)) {
}

Server::~Server() = default;

SessionId Server::connect() {
    const SessionId id = ++m_lastSession;
    m_sessions[id].id = id;
    return id;
}

void Server::disconnect(SessionId id) {
    const auto it = m_sessions.find(id);
    if (it == m_sessions.end()) return;
    Session& session = it->second;
    unwatch(session);
    while (!session.channels.empty())
        unsubscribe(session, QByteArray(session.channels.back()), false);
    while (!session.patterns.empty())
        unsubscribe(session, QByteArray(session.patterns.back()), true);
    m_sessions.erase(it);
}

void Server::readClock() {
    if (m_depth > 0) return;
    m_nowUs = m_clock();
    // Rounds down for instants before 1970 too.
    m_nowMs = m_nowUs >= 0 ? m_nowUs / 1000 : (m_nowUs - 999) / 1000;
}

std::uint64_t Server::random() {
    // SplitMix64.
    std::uint64_t z = (m_random += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

// ---------------------------------------------------------------- from words to a reply

Reply Server::execute(SessionId id, const Args& args) {
    const auto it = m_sessions.find(id);
    if (it == m_sessions.end() || args.empty()) return answers::error("ERR not connected");
    readClock();
    ++m_depth;
    Reply reply = dispatch(it->second, args);
    --m_depth;
    tellEffects();
    return reply;
}

QByteArray unknownCommand(const Args& args) {
    QByteArray shown;
    for (std::size_t i = 1; i < args.size() && shown.size() < 128; ++i)
        shown += '\'' + printed(args[i], 128 - shown.size()) + "' ";
    return "ERR unknown command '" + printed(args[0]) + "', with args beginning with: " + shown;
}

namespace {

/// Why these words cannot be run at all; empty when they can.
QByteArray refusal(const Command* command, const Args& args) {
    if (!command) return unknownCommand(args);
    if ((command->flags & kContainer) && args.size() > 1)
        return "ERR unknown subcommand '" + printed(args[1]) + "'. Try " + command->name + " HELP.";
    if (!command->takes(args.size())) return "ERR wrong number of arguments for '" + command->lowerName() + "' command";
    return {};
}

} // namespace

Reply Server::dispatch(Session& session, const Args& args) {
    const Command* command = findCommand(args);
    QByteArray refused = refusal(command, args);
    if (refused.isEmpty() && m_front.elsewhere && !(command->flags & kNotQueued))
        refused = m_front.elsewhere(session.id, (command->flags & kWrites) != 0, keysIn(*command, args));
    if (refused.isEmpty()) refused = refusedNow(flagsOf(*command, session, args));
    if (refused.isEmpty() && session.subscriptions() > 0 && !(command->flags & kWhileSubscribed))
        refused = "ERR Can't execute '" + command->lowerName() +
                  "': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this context";
    if (!refused.isEmpty()) {
        if (session.inMulti) session.brokenMulti = true;
        if (command && std::string_view(command->name) == "EXEC") {
            leaveMulti(session);
            if (refused.startsWith("ERR ")) refused.remove(0, qsizetype(strlen("ERR ")));
            refused.prepend("EXECABORT Transaction discarded because of: ");
        }
        return Reply::error(oneLine(std::move(refused)));
    }
    if (session.inMulti && !(command->flags & kNotQueued)) {
        session.queue.push_back({command, args});
        return Reply::status(QByteArrayLiteral("QUEUED"));
    }
    return run(*command, session, args, session.id);
}

Reply Server::run(const Command& command, Session& session, const Args& args, SessionId by) {
    Call call{*this, session, args, command, by};
    const std::uint64_t before = m_dirty;
    Reply reply = command.handler(call);
    if (m_dirty != before && m_front.onEffects && !(command.flags & kWraps)) addEffect(command, session.db, args);
    m_steps += 1 + reply.items.size();
    if (!m_changes.empty()) tell(by, command.name);
    return reply;
}

Reply Server::runFromScript(ScriptContext& script, const Args& args) {
    const Command* command = findCommand(args);
    if (!command || ((command->flags & kContainer) && args.size() > 1))
        return answers::error("ERR Unknown Redis command called from script");
    if (!command->takes(args.size()))
        return answers::error("ERR Wrong number of args calling Redis command from script");
    if (command->flags & kNoScript) return answers::error("ERR This Redis command is not allowed from script");
    if (script.readOnly && (command->flags & (kWrites | kTells)))
        return answers::error("ERR Write commands are not allowed from read-only scripts.");
    const unsigned grows = script.wrote ? 0 : command->flags & kGrows;
    if (QByteArray refused = refusedNow((command->flags & kWrites) | grows); !refused.isEmpty())
        return Reply::error(std::move(refused));
    script.wrote = script.wrote || (command->flags & kWrites);
    return run(*command, script.session, args, script.caller);
}

// ---------------------------------------------------------------- keys and their deadlines

Entry* Server::find(int db, const QByteArray& key) {
    Entry* entry = database(db).find(key);
    if (!entry) return nullptr;
    if (!pastDeadline(*entry) || m_applying) {
        entry->used = ++m_lookups;
        return entry;
    }
    if (!isReplica()) expire(db, key);
    return nullptr;
}

void Server::expire(int db, QByteArray key) {
    database(db).erase(key);
    touchWatchers(db, key);
    if (m_front.onEffects) m_effects.push_back({db, {"DEL", key}});
    if (m_front.onKeyChange) m_changes.push_back({db, std::move(key), true});
}

void Server::removeDue(int db) {
    if (isReplica()) return;
    const auto& deadlines = database(db).deadlines();
    while (!deadlines.empty() && m_nowMs > deadlines.begin()->first)
        expire(db, deadlines.begin()->second);
}

void Server::expireDue() {
    if (isReplica()) return;
    readClock();
    ++m_depth;
    std::vector<std::tuple<std::int64_t, QByteArray, int>> due;
    for (int db = 0; db < kDatabases; ++db)
        for (const auto& [deadline, key] : database(db).deadlines()) {
            if (m_nowMs <= deadline) break;
            due.emplace_back(deadline, key, db);
        }
    std::sort(due.begin(), due.end());
    for (const auto& [deadline, key, db] : due) {
        // An observer of an earlier removal may have looked at this key, which removed it.
        const Entry* entry = database(db).find(key);
        if (entry && pastDeadline(*entry)) expire(db, key);
        tell(0, "");
    }
    --m_depth;
    tellEffects();
}

std::optional<std::int64_t> Server::nextExpiryUs() const {
    if (isReplica()) return std::nullopt;
    std::optional<std::int64_t> soonest;
    for (const Database& database : m_data.databases)
        if (const auto& deadlines = database.deadlines(); !deadlines.empty())
            if (!soonest || deadlines.begin()->first < *soonest) soonest = deadlines.begin()->first;
    if (!soonest) return std::nullopt;
    constexpr std::int64_t kLatest = std::numeric_limits<std::int64_t>::max() / 1000 - 1;
    return (std::min(*soonest, kLatest) + 1) * 1000;
}

void Server::changed(int db, const QByteArray& key) {
    ++m_dirty;
    touchWatchers(db, key);
    if (!m_front.onKeyChange) return;
    for (const Change& known : m_changes)
        if (!known.expired && known.db == db && known.key == key) return;
    m_changes.push_back({db, key, false});
}

void Server::eraseAll(int db) {
    removeDue(db);
    ++m_dirty;
    // Not by changed(): it looks for doubles, of which there are none.
    for (const auto& [id, key] : database(db).inOrder()) {
        touchWatchers(db, key);
        if (m_front.onKeyChange) m_changes.push_back({db, key, false});
    }
    database(db).clear();
}

void Server::clear() {
    dropData();
    m_lua->restart();
}

void Server::dropData() {
    for (int db = 0; db < kDatabases; ++db) {
        for (const auto& [id, key] : database(db).inOrder())
            touchWatchers(db, key);
        database(db).clear();
    }
}

void Server::tell(SessionId by, const char* command) {
    // The observer may run commands itself, which note changes of their own.
    const std::vector<Change> changes = std::exchange(m_changes, {});
    const QByteArray name = QByteArray::fromRawData(command, qsizetype(qstrlen(command)));
    for (const Change& change : changes)
        m_front.onKeyChange(
            {change.db, change.key, change.expired ? 0 : by, change.expired ? QByteArray() : name, change.expired});
}

// ---------------------------------------------------------------- transactions and watched keys

void Server::leaveMulti(Session& session) {
    session.queue.clear();
    session.inMulti = session.brokenMulti = false;
    unwatch(session);
}

void Server::watch(Session& session, const QByteArray& key) {
    for (const auto& known : session.watched)
        if (known.db == session.db && known.key == key) return;
    const Entry* entry = database(session.db).find(key);
    session.watched.push_back({session.db, key, entry && pastDeadline(*entry)});
    m_watchers[{session.db, key}].push_back(session.id);
}

void Server::unwatch(Session& session) {
    for (const auto& watched : session.watched) {
        const auto it = m_watchers.find({watched.db, watched.key});
        std::erase(it->second, session.id);
        if (it->second.empty()) m_watchers.erase(it);
    }
    session.watched.clear();
    session.watchedChanged = false;
}

void Server::touchWatchers(int db, const QByteArray& key) {
    if (m_watchers.empty()) return;
    const auto it = m_watchers.find({db, key});
    if (it == m_watchers.end()) return;
    for (const SessionId id : it->second) {
        Session& session = m_sessions[id];
        const auto watched = std::find_if(session.watched.begin(), session.watched.end(),
                                          [&](const auto& w) { return w.db == db && w.key == key; });
        if (watched->wasExpired) {
            // It was gone for its watcher already; from here on it is a key like any other.
            watched->wasExpired = false;
            if (!database(db).find(key)) continue;
        }
        session.watchedChanged = true;
    }
}

// ---------------------------------------------------------------- subscriptions

bool Server::subscribe(Session& session, const QByteArray& channel, bool pattern) {
    auto& mine = pattern ? session.patterns : session.channels;
    if (std::find(mine.begin(), mine.end(), channel) != mine.end()) return false;
    mine.push_back(channel);
    Topic& topic = (pattern ? m_patterns : m_channels)[channel];
    if (topic.subscribers.empty()) topic.number = ++m_lastTopic;
    topic.subscribers.push_back(session.id);
    return true;
}

bool Server::unsubscribe(Session& session, const QByteArray& channel, bool pattern) {
    auto& mine = pattern ? session.patterns : session.channels;
    if (std::erase(mine, channel) == 0) return false;
    Topics& topics = pattern ? m_patterns : m_channels;
    const auto it = topics.find(channel);
    std::erase(it->second.subscribers, session.id);
    if (it->second.subscribers.empty()) topics.erase(it);
    return true;
}

std::vector<Server::Topics::const_iterator> Server::inOrder(const Topics& topics) {
    std::vector<Topics::const_iterator> all;
    for (auto it = topics.begin(); it != topics.end(); ++it)
        all.push_back(it);
    std::ranges::sort(all, {}, [](const auto& it) { return it->second.number; });
    return all;
}

std::int64_t Server::publish(const QByteArray& channel, const QByteArray& payload) {
    ++m_dirty;
    // Gathered first: a subscriber's reaction may change who is subscribed, and who is there.
    std::vector<RedisEngine::Push> pushes;
    if (const auto topic = m_channels.find(channel); topic != m_channels.end())
        for (const SessionId id : topic->second.subscribers)
            pushes.push_back({id, channel, payload, {}});
    if (!m_patterns.empty())
        for (const auto& topic : inOrder(m_patterns))
            if (globMatches(topic->first, channel))
                for (const SessionId id : topic->second.subscribers)
                    pushes.push_back({id, channel, payload, topic->first});
    if (m_front.onPush)
        for (const RedisEngine::Push& push : pushes)
            if (m_sessions.contains(push.to)) m_front.onPush(push);
    return std::int64_t(pushes.size());
}

} // namespace lockscope::sim::redisd
