// SPDX-License-Identifier: GPL-3.0-or-later
// A lock's detail as plain text, as it stands in the panel, and when its hold ends in words.
#include "inspect/kept_by_words.h"
#include "locks/code_box.h"
#include "locks/lock_detail_panel.h"
#include "session/bounds.h"
#include "theme/format.h"

#include <QAbstractItemModel>

namespace lockscope::views {

QString LockDetailPanel::text() const {
    const QString instantThere = instant(*m_context->trace(), m_context->playhead());
    //: The first line of a lock that is copied as text: %1 its name, %2 its format, %3 its state, %4 the time of day.
    QStringList lines{tr("%1 · %2 · %3, at %4").arg(m_name->text(), m_format->text(), m_state->text(), instantThere)};
    lines += alertText().split(u'\n', Qt::SkipEmptyParts);
    const auto row = [](const QString& name, const QString& value) {
        //: A line of a lock that is copied as text: %1 the name of a fact, %2 the fact.
        return tr("%1: %2").arg(name, value);
    };
    for (std::size_t i = 0; i < m_facts.size(); ++i)
        if (!m_facts[i]->isHidden()) lines << row(m_factNames[i]->text(), m_facts[i]->text());
    const auto parties = [&](const QString& name, const QAbstractItemModel& model) {
        if (model.rowCount() > 0) lines << row(name, QString::number(model.rowCount()));
        for (int i = 0; i < model.rowCount(); ++i) {
            const QModelIndex at = model.index(i, 0);
            lines << QStringLiteral("  %1  %2")
                         .arg(at.data(party::NameRole).toString(), at.data(party::DetailRole).toString());
        }
    };
    parties(tr("Holders"), *m_holders);
    parties(tr("Queue"), *m_queue);
    if (!m_queueNote->isHidden()) lines << m_queueNote->text();
    const auto box = [&](const QString& name, const QString& hint, const CodeBox& content) {
        if (content.isHidden()) return;
        lines << row(name, hint);
        for (const QString& line : content.lines())
            lines << QStringLiteral("  %1").arg(line);
    };
    box(tr("On each server"), {}, *m_copies);
    box(tr("On the server"), m_serverCaption->hint(), *m_server);
    for (QString& line : lines)
        while (line.endsWith(u' '))
            line.chop(1);
    return lines.join(u'\n') + u'\n';
}

/// How long a session of the lock's servers may be silent, in a simulation; 0: nobody knows, or there are no sessions.
Nanos LockDetailPanel::sessionTimeout(const LockFacts& facts) const {
    std::vector<trace::EntityId> servers{facts.server};
    for (const trace::EntityId copy : m_context->copiesOf(facts.lock))
        servers.push_back(m_context->trace()->entity(copy).parent);
    for (const trace::EntityId server : servers) {
        if (server == trace::kNoEntity) continue;
        const QString name = m_context->trace()->displayName(server);
        if (const Nanos timeout = session::sessionTimeout(m_context->settings(), name); timeout > Nanos(0))
            return timeout;
    }
    return Nanos(0);
}

/// The end of a hold that has no lease, or is on somebody else's server; empty: nobody holds the lock, or its end is
/// not known.
QString LockDetailPanel::endWords(const LockFacts& facts) const {
    if (!facts.held() || !facts.known()) return {};
    const bool outside = isSeenFromOutside();
    if (!facts.endKnown && facts.keptBy == inspect::KeptBy::Session) {
        const Nanos timeout = outside ? Nanos(0) : sessionTimeout(facts);
        if (timeout > Nanos(0))
            return tr("it is released, or its session is silent for %1").arg(roundDuration(timeout));
        return inspect::keptByText(facts.keptBy, inspect::KeptByUse::End);
    }
    if (!outside) return {};
    if (!facts.endKnown) return inspect::keptByText(facts.keptBy, inspect::KeptByUse::End);
    if (!facts.expires) return tr("it is released, and only then");
    //: When a lock ends: %1 a time of day.
    return tr("%1, unless renewed").arg(instant(*m_context->trace(), m_context->playhead() + facts.ttl));
}

} // namespace lockscope::views
