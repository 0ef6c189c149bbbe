// SPDX-License-Identifier: Apache-2.0
#include "inspect/server_teller.h"

#include "trace/duration.h"
#include "trace/recorder.h"
#include "trace/server_told.h"

#include <utility>

namespace lockscope::inspect {

void ServerTeller::write(const LockReport& report) {
    const QByteArray evictsBy = evictionPolicyIn(report);
    if (std::exchange(m_evictsBy, evictsBy) != evictsBy) tell(trace::kMayEvict, evictsBy);
    // The pace of looks changes all the time; only the longest one bounds what lies between two of them.
    const Nanos apart = report.hearsOfChanges ? Nanos(0) : report.period;
    const bool ended = apart == Nanos(0) && m_looksApart > Nanos(0);
    if (!ended && apart <= m_looksApart * 5 / 4) return;
    m_looksApart = apart;
    const Nanos whole = std::chrono::ceil<std::chrono::milliseconds>(apart);
    tell(trace::kLooksApart, formatDuration(whole).toUtf8());
}

void ServerTeller::tell(QByteArrayView name, const QByteArray& value) {
    m_recorder.emit(trace::EventKind::ServerTold, m_node, trace::kNoEntity, 0,
                    m_recorder.trace().text(trace::serverTold(name, value)));
}

} // namespace lockscope::inspect
