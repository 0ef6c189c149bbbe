// SPDX-License-Identifier: Apache-2.0
#include "raw_threads.h"

#include <thread>

namespace lockscope::bench {

namespace {

class RawThreads final : public Raw {
public:
    explicit RawThreads(RawClients clients) : m_clients(std::move(clients)) {}

    std::expected<void, QString> run(Nanos duration, Samples& samples) override {
        const std::int64_t begun = clockNow();
        std::vector<Work> works(m_clients.size());
        if (m_clients.size() == 1) {
            work(*m_clients.front(), works.front(), begun + duration.count());
        } else {
            std::vector<std::jthread> threads;
            for (std::size_t i = 0; i < m_clients.size(); ++i)
                threads.emplace_back([&, i] { work(*m_clients[i], works[i], begun + duration.count()); });
        }
        samples.took += Nanos(clockNow() - begun);
        for (const Work& one : works) {
            if (!one.error.isEmpty()) return std::unexpected(one.error);
            samples.pairs += std::int64_t(one.latencies.size());
            samples.latencies.insert(samples.latencies.end(), one.latencies.begin(), one.latencies.end());
        }
        return {};
    }

private:
    struct Work {
        std::vector<std::int64_t> latencies;
        QString error;
    };
    static void work(RawClient& client, Work& one, std::int64_t until) {
        for (std::int64_t now = clockNow(); now < until;) {
            auto done = client.take();
            if (done) done = client.give();
            if (!done) {
                one.error = done.error();
                return;
            }
            const std::int64_t after = clockNow();
            one.latencies.push_back(after - now);
            now = after;
        }
    }
    RawClients m_clients;
};

} // namespace

MadeRaw makeRawClients(const Workload& workload, const std::function<MadeRawClient(int)>& make) {
    RawClients clients;
    for (int i = 0; i < workload.clients; ++i) {
        auto client = make(workload.oneLock() ? 0 : i);
        if (!client) return std::unexpected(client.error());
        clients.push_back(std::move(*client));
    }
    if (workload.kind == Workload::Kind::Wake) return makeRawWake(std::move(clients));
    if (workload.contended()) return makeRawRound(std::move(clients));
    return std::make_unique<RawThreads>(std::move(clients));
}

} // namespace lockscope::bench
