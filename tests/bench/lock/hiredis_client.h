// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/url.h"

#include <QByteArray>
#include <hiredis.h>
#include <memory>
#include <vector>

namespace lockscope::bench {

struct FreeRedis {
    void operator()(redisContext* context) const { redisFree(context); }
    void operator()(redisReply* reply) const { freeReplyObject(reply); }
};
using RedisContext = std::unique_ptr<redisContext, FreeRedis>;
using RedisReply = std::unique_ptr<redisReply, FreeRedis>;

/// A command as hiredis wants it, made once.
class RawCommand {
public:
    explicit RawCommand(std::vector<QByteArray> parts) : m_parts(std::move(parts)) {
        for (const QByteArray& part : m_parts) {
            m_texts.push_back(part.constData());
            m_sizes.push_back(std::size_t(part.size()));
        }
    }
    RedisReply ask(redisContext* context) const {
        return RedisReply(static_cast<redisReply*>(redisCommandArgv(context, count(), texts(), m_sizes.data())));
    }
    void append(redisContext* context) const { redisAppendCommandArgv(context, count(), texts(), m_sizes.data()); }

private:
    int count() const { return int(m_parts.size()); }
    const char** texts() const { return const_cast<const char**>(m_texts.data()); }
    std::vector<QByteArray> m_parts;
    std::vector<const char*> m_texts;
    std::vector<std::size_t> m_sizes;
};

/// The two commands of a lock.
struct RawLock {
    RawCommand take, give;
};

/// The connection's error, as a sentence.
QString rawError(const redisContext* context);
/// A connection, logged in, blocking.
std::expected<RedisContext, QString> connectRaw(const ConnectionUrl& url);
/// Whether the reply is what a free lock answers.
bool granted(const redisReply* reply);

} // namespace lockscope::bench
