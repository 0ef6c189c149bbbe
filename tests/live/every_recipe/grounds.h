// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ground.h"

#include <map>

namespace lockscope::test {

/// The kinds of servers that a test uses, each started when it is first asked for.
class Grounds {
public:
    explicit Grounds(Runtime& runtime) : m_runtime(runtime) {}
    /// The URL of running servers of that kind; empty when there is no such kind, or when they do not start.
    QString urlOf(const QByteArray& kind) {
        std::unique_ptr<Ground>& ground = m_started[kind];
        if (ground) return ground->url();
        const auto known = std::ranges::find(groundKinds(), kind, &GroundKind::name);
        if (known == groundKinds().end()) return {};
        ground = known->make(m_runtime);
        if (const QString problem = ground->start(); !problem.isEmpty()) {
            qWarning("%s", qPrintable(problem));
            ground.reset();
            return {};
        }
        return ground->url();
    }
    /// Ends the servers of that kind.
    void end(const QByteArray& kind) { m_started.erase(kind); }
    /// To be called while the runtime is there.
    void endAll() { m_started.clear(); }

private:
    Runtime& m_runtime;
    std::map<QByteArray, std::unique_ptr<Ground>> m_started;
};

} // namespace lockscope::test
