// SPDX-License-Identifier: Apache-2.0
#include "hiredis_client.h"
#include "raw_threads.h"

#include "ports/redis/port.h"

namespace lockscope::bench {

namespace {

using Done = std::expected<void, QString>;

/// One client of all masters: the same command to each, all on their way before the first answer is read.
class RedlockClient final : public RawClient {
public:
    RedlockClient(std::vector<RedisContext> masters, RawLock lock)
        : m_masters(std::move(masters)), m_lock(std::move(lock)) {}
    Done take() override { return askAll(m_lock.take); }
    Done give() override { return askAll(m_lock.give); }

private:
    Done askAll(const RawCommand& command) {
        for (const RedisContext& master : m_masters) {
            command.append(master.get());
            for (int flushed = 0; !flushed;)
                if (redisBufferWrite(master.get(), &flushed) != REDIS_OK)
                    return std::unexpected(rawError(master.get()));
        }
        for (const RedisContext& master : m_masters) {
            void* answer = nullptr;
            if (redisGetReply(master.get(), &answer) != REDIS_OK) return std::unexpected(rawError(master.get()));
            const RedisReply reply(static_cast<redisReply*>(answer));
            const bool done =
                reply->type == REDIS_REPLY_STATUS || (reply->type == REDIS_REPLY_INTEGER && reply->integer == 1);
            if (!done)
                return std::unexpected(
                    QStringLiteral("The bare client got an answer that is no grant: somebody else uses its locks."));
        }
        return {};
    }
    std::vector<RedisContext> m_masters;
    RawLock m_lock;
};

} // namespace

MadeRaw makeRawRedlock(const ConnectionUrl& url, const Workload& workload) {
    if (url.tls) return nullptr; // Debian's hiredis has none
    const QByteArray name = "lock_bench-raw-" + QByteArray::number(clockNow(), 16) + '-';
    const redis::Script release = redis::Script::load("compare_delete");
    return makeRawClients(workload, [&](int index) -> MadeRawClient {
        std::vector<RedisContext> masters;
        for (const Endpoint& endpoint : url.endpoints) {
            ConnectionUrl one = url;
            one.endpoints = {endpoint};
            auto master = connectRaw(one);
            if (!master) return std::unexpected(master.error());
            if (!RawCommand({"SCRIPT", "LOAD", release.source()}).ask(master->get()))
                return std::unexpected(rawError(master->get()));
            masters.push_back(std::move(*master));
        }
        const QByteArray key = name + QByteArray::number(index), value = "5a0e1fb5-4a9e-4c50-9fd4-dca2a9c2a7bd:1";
        RawLock lock{RawCommand({"SET", key, value, "NX", "PX", "30000"}),
                     RawCommand({"EVALSHA", release.sha1(), "1", key, value})};
        return std::make_unique<RedlockClient>(std::move(masters), std::move(lock));
    });
}

} // namespace lockscope::bench
