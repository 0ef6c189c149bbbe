// SPDX-License-Identifier: Apache-2.0
#include "raw_threads.h"

namespace lockscope::bench {

namespace {

using Done = std::expected<void, QString>;

class RawRound final : public Raw {
public:
    explicit RawRound(RawClients clients) : m_clients(std::move(clients)) {}
    Done run(Nanos duration, Samples& samples) override {
        const std::int64_t begun = clockNow(), until = begun + duration.count();
        std::int64_t now = begun;
        for (; now < until; now = clockNow()) {
            RawClient& client = *m_clients[m_turn];
            if (const Done taken = client.take(); !taken) return taken;
            if (const Done given = client.give(); !given) return given;
            m_turn = (m_turn + 1) % m_clients.size();
            ++samples.pairs;
        }
        samples.took += Nanos(now - begun);
        return {};
    }

private:
    RawClients m_clients;
    std::size_t m_turn = 0;
};

class RawHandOver final : public Raw {
public:
    explicit RawHandOver(RawClients clients) : m_clients(std::move(clients)) {}
    Done run(Nanos duration, Samples& samples) override {
        const std::int64_t until = clockNow() + duration.count();
        RawClient* holder = m_clients[0].get();
        RawClient* waiter = m_clients[1].get();
        if (const Done taken = holder->take(); !taken) return taken;
        while (clockNow() < until) {
            napBeforeWaking();
            const std::int64_t released = clockNow();
            if (const Done given = holder->give(); !given) return given;
            if (const Done taken = waiter->take(); !taken) return taken;
            const std::int64_t woken = clockNow();
            samples.latencies.push_back(woken - released);
            samples.took += Nanos(woken - released);
            ++samples.pairs;
            std::swap(holder, waiter);
        }
        return holder->give();
    }

private:
    RawClients m_clients;
};

} // namespace

std::unique_ptr<Raw> makeRawRound(RawClients clients) {
    return std::make_unique<RawRound>(std::move(clients));
}

std::unique_ptr<Raw> makeRawWake(RawClients clients) {
    return std::make_unique<RawHandOver>(std::move(clients));
}

} // namespace lockscope::bench
