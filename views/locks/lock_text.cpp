// SPDX-License-Identifier: GPL-3.0-or-later
// A lock's detail as plain text, as it stands in the panel.
#include "locks/code_box.h"
#include "locks/lock_detail_panel.h"
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

} // namespace lockscope::views
