// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/told_clients.h"

#include "inspect/party_about.h"
#include "inspect/text.h"

#include <QCoreApplication>

namespace lockscope::views {

namespace {
struct Words {
    Q_DECLARE_TR_FUNCTIONS(ToldClients)
};
} // namespace

ToldClients::ToldClients(const trace::Trace& trace, const trace::Record* record) : m_trace(&trace) {
    if (record && record->content != trace::kNoEntity)
        m_clients = inspect::seenClientsIn(trace.entity(record->content).name);
}

QString ToldClients::about(trace::EntityId thread) const {
    if (m_clients.empty() || thread == trace::kNoEntity) return {};
    const QByteArray& client = m_trace->entity(m_trace->clientOf(thread)).name;
    const auto known = m_clients.find(inspect::readable(client).toUtf8());
    if (known == m_clients.end()) return {};
    const QString about = inspect::aboutText(QString::fromUtf8(known->second.about));
    //: Of a lock's holder: %1 its address and program, as they were.
    return known->second.gone ? Words::tr("%1 · has no connection any more").arg(about) : about;
}

QString ToldClients::below(const QString& words, trace::EntityId thread) const {
    const QString its = about(thread);
    return its.isEmpty() ? words : words + u'\n' + its;
}

} // namespace lockscope::views
