// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "runtime/runtime.h"

#include <QTcpSocket>

namespace lockscope::torture {

/// Listens to a Redis that says everything it does (MONITOR).
class Observer {
public:
    /// `url`: as redis://host:port.
    Observer(Runtime& runtime, const QString& url);
    /// Returns when nothing that happens from now on is missed; false when that does not come about.
    QCoro::Task<bool> start();
    /// What it said so far, in lines; empty after a gap.
    QByteArray said() const { return m_gap ? QByteArray() : m_said; }

private:
    Runtime& m_runtime;
    QString m_url;
    QTcpSocket m_socket;
    QByteArray m_said;
    bool m_gap = false;
};

} // namespace lockscope::torture
