// SPDX-License-Identifier: Apache-2.0
// An engine whose clock a test turns by hand, and short ways to talk to it.
#pragma once
#include "sim/redis/engine.h"

#include <QTest>
#include <algorithm>
#include <vector>

namespace lockscope::sim_test {

using redis::Args;
using redis::Reply;
using sim::RedisEngine;

inline Reply bulk(const QByteArray& text) {
    return Reply::bulk(text);
}
inline Reply number(std::int64_t n) {
    return Reply::number(n);
}
inline Reply ok() {
    return Reply::status("OK");
}

struct EngineOnAClock {
    std::int64_t nowUs = 1'700'000'000'000'000;
    RedisEngine engine{[this] { return nowUs; }, 7};
    RedisEngine::SessionId first = engine.connect();
    std::vector<RedisEngine::Push> pushes;
    std::vector<RedisEngine::KeyChange> changes;

    EngineOnAClock() {
        engine.onPush = [this](const RedisEngine::Push& push) { pushes.push_back(push); };
        engine.onKeyChange = [this](const RedisEngine::KeyChange& change) { changes.push_back(change); };
    }
    std::int64_t nowMs() const { return nowUs / 1000; }
    void passMs(std::int64_t ms) { nowUs += ms * 1000; }
    /// "SET a 1": words between spaces.
    Reply run(const QByteArray& line) { return runAs(first, line); }
    Reply runAs(RedisEngine::SessionId session, const QByteArray& line) {
        const QList<QByteArray> words = line.split(' ');
        return engine.execute(session, Args(words.begin(), words.end()));
    }
    Reply eval(const QByteArray& script, const Args& keys = {}, const Args& args = {}) {
        Args words{"EVAL", script, QByteArray::number(int(keys.size()))};
        words.insert(words.end(), keys.begin(), keys.end());
        words.insert(words.end(), args.begin(), args.end());
        return engine.execute(first, words);
    }
    /// The changes since the last call, as "db key by command" each.
    std::vector<QByteArray> takeChanges() {
        std::vector<QByteArray> texts;
        for (const auto& change : std::exchange(changes, {}))
            texts.push_back(QByteArray::number(change.db) + ' ' + change.key + ' ' + QByteArray::number(change.by) +
                            ' ' + (change.expired ? QByteArray("expired") : change.command));
        return texts;
    }
};

} // namespace lockscope::sim_test
