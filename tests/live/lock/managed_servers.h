// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "live_connection.h"
#include "lock/manager/manager_config.h"

namespace lockscope::test {

/// Two Redis to lock on and a third one for the record, and how a manager uses them.
struct ManagedServers {
    explicit ManagedServers(Runtime& of) : runtime(of), first(of), second(of), witness(of) {}
    /// The text of what went wrong, empty when they are up and know nothing.
    QString begin() {
        for (auto* server : {&first, &second, &witness}) {
            const QString error = server->running() ? QString() : start(*server);
            if (!error.isEmpty()) return error;
            redis::RedisDriver driver(runtime, urlOf(*server));
            call(driver, {"FLUSHALL"});
        }
        return {};
    }
    /// A namespace "shop" that is soon switched. `slack`: for how many times longer than on an idle machine everything
    /// may take.
    ManagerConfig config(SwitchMode mode, int slack = 1) const {
        NamespaceConfig space;
        space.name = "shop";
        space.engines.push_back({urlOf(first), "redis-reentrant"});
        space.engines.push_back({urlOf(second), "redis-fenced"});
        space.witnesses.push_back(urlOf(witness));
        space.mode = mode;
        space.confirmFor = 400ms * slack;
        space.drainFor = 300ms * slack;
        space.healthEvery = 50ms;
        space.healthTimeout = 150ms * slack;
        space.options.lease = 500ms * slack;
        space.options.watchdog = 150ms * slack;
        space.options.token = true;
        ManagerConfig all;
        all.namespaces.push_back(space);
        return all;
    }
    Runtime& runtime;
    sandbox::RedisServer first, second, witness;
};

/// The line that a manager writes into a trace about an engine: "in-use", its epoch, and why.
inline QByteArray lineOf(const QByteArray& event, int epoch, const EngineConfig& engine, const QByteArray& why = {}) {
    return event + " epoch=" + QByteArray::number(epoch) + " engine=" + engine.id() +
           (why.isEmpty() ? QByteArray() : " why=" + why);
}

/// A manager's lines in a trace, in their order; any thread. Lines written meanwhile may be missing.
inline QByteArrayList historyIn(const trace::Trace& trace) {
    QByteArrayList lines;
    for (std::size_t i = 0; i < trace.size(); ++i) {
        const trace::Event event = trace.at(i);
        if (event.kind == trace::EventKind::SettingChanged) lines += trace.entity(event.aux).name;
        if (event.kind != trace::EventKind::EngineChanged) continue;
        static const char* const kNames[] = {"unhealthy", "healthy", "leaving", "in-use", "refused"};
        QByteArray told = trace.entity(event.aux).name;
        lines += kNames[event.flags & trace::kEngineNewsMask] + QByteArray(" epoch=") +
                 QByteArray::number(qint64(event.value)) + " engine=" + told.replace('\n', " why=");
    }
    return lines;
}

/// The first of those lines that is not there after the ones before; empty when all are. Others may stand in between.
inline QByteArray missingFrom(const QByteArrayList& history, const QByteArrayList& lines) {
    qsizetype at = 0;
    for (const QByteArray& line : lines) {
        at = history.indexOf(line, at) + 1;
        if (at == 0) return line + " in:\n" + history.join('\n');
    }
    return {};
}

} // namespace lockscope::test
