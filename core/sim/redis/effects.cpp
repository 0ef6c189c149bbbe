// SPDX-License-Identifier: Apache-2.0
// The server's replicated side: what a command becomes for replicas and for the append-only file, and what a replica
// does with it.
#include "sim/redis/command.h"
#include "sim/redis/numbers.h"

namespace lockscope::sim::redisd {

namespace {

bool is(const Command& command, std::string_view name) {
    return name == command.name;
}

bool hasWord(const Args& args, const char* word) {
    return std::any_of(args.begin() + 3, args.end(), [word](const QByteArray& arg) { return equalsUpper(arg, word); });
}

} // namespace

void Server::addEffect(const Command& command, int db, const Args& args) {
    const QByteArray key = args.size() > 1 ? args[1] : QByteArray();
    const Entry* entry = key.isNull() ? nullptr : database(db).find(key);
    const std::string_view name = command.name;
    const auto deadline = [&] { return formatInteger(entry->deadlineMs); };
    Args effect = args;
    effect[0] = QByteArray::fromRawData(command.name, qsizetype(name.size())); // which lives for ever
    if (is(command, "SET") || is(command, "SETEX") || is(command, "PSETEX")) {
        const QByteArray value = is(command, "SET") ? args[2] : args[3];
        if (entry->deadlineMs != kNoDeadline && !(is(command, "SET") && hasWord(args, "KEEPTTL")))
            effect = {"SET", key, value, "PXAT", deadline()};
        else if (hasWord(args, "GET"))
            std::erase_if(effect, [](const QByteArray& word) { return equalsUpper(word, "GET"); });
    } else if (is(command, "GETSET")) {
        effect = {"SET", key, args[2]};
    } else if (is(command, "GETDEL")) {
        effect = {"DEL", key};
    } else if (is(command, "GETEX") || name.find("EXPIRE") != std::string_view::npos) {
        if (!entry)
            effect = {"DEL", key};
        else if (entry->deadlineMs == kNoDeadline)
            effect = {"PERSIST", key};
        else
            effect = {"PEXPIREAT", key, deadline()};
    }
    m_effects.push_back({db, std::move(effect)});
}

void Server::tellEffects() {
    if (m_depth > 0 || m_effects.empty()) return;
    std::vector<RedisEngine::Effect> effects = std::exchange(m_effects, {});
    if (m_front.onEffects && !isReplica()) m_front.onEffects(std::move(effects));
}

void Server::apply(const std::vector<RedisEngine::Effect>& effects) {
    readClock();
    ++m_depth;
    m_applying = true;
    Session session;
    for (const RedisEngine::Effect& effect : effects) {
        session.db = effect.db;
        const Command* const command = findCommand(effect.args);
        Q_ASSERT(command && command->handler);
        run(*command, session, effect.args, 0);
    }
    m_applying = false;
    m_effects.clear();
    --m_depth;
}

QByteArray Server::refusedNow(unsigned flags) const {
    if ((flags & kGrows) && m_full) return "OOM command not allowed when used memory > 'maxmemory'.";
    if (!(flags & kWrites)) return {};
    if (!isReplica() && m_front.tooFewReplicas && m_front.tooFewReplicas())
        return "NOREPLICAS Not enough good replicas to write.";
    if (isReplica()) return "READONLY You can't write against a read only replica.";
    return {};
}

std::optional<Reply> Server::askDeployment(SessionId session, const QByteArray& command, const Args& args) {
    if (!m_front.onDeployment) return std::nullopt;
    return m_front.onDeployment(session, command, args);
}

RedisEngine::Data Server::snapshot() const {
    return std::make_shared<const Data>(m_data);
}

void Server::load(const RedisEngine::Data& data) {
    dropData();
    m_data = *data;
    if (isReplica()) return;
    readClock();
    for (Database& database : m_data.databases) {
        while (!database.deadlines().empty() && m_nowMs > database.deadlines().begin()->first)
            database.erase(QByteArray(database.deadlines().begin()->second));
    }
}

bool Server::evict(int db, const QByteArray& key) {
    if (isReplica()) return false;
    readClock();
    ++m_depth;
    const bool there = database(db).erase(key);
    if (there) {
        changed(db, key);
        if (m_front.onEffects) m_effects.push_back({db, {"DEL", key}});
        tell(0, "");
    }
    --m_depth;
    tellEffects();
    return there;
}

std::optional<QByteArray> Server::victim(int db, RedisEngine::Evict policy) const {
    const Database& data = m_data.databases[std::size_t(db)];
    if (policy == RedisEngine::Evict::SoonestDeadline) {
        if (data.deadlines().empty()) return std::nullopt;
        return data.deadlines().begin()->second;
    }
    std::optional<QByteArray> oldest;
    std::uint64_t used = 0;
    for (const auto& [id, key] : data.inOrder()) {
        const Entry* const entry = data.find(key);
        if (policy == RedisEngine::Evict::LeastUsedVolatile && entry->deadlineMs == kNoDeadline) continue;
        if (oldest && entry->used >= used) continue;
        oldest = key;
        used = entry->used;
    }
    return oldest;
}

bool Server::inTransaction(SessionId session) const {
    const auto it = m_sessions.find(session);
    return it != m_sessions.end() && it->second.inMulti;
}

bool Server::isSubscribed(SessionId session) const {
    const auto it = m_sessions.find(session);
    return it != m_sessions.end() && it->second.subscriptions() > 0;
}

} // namespace lockscope::sim::redisd
