// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "models/view_context.h"

namespace lockscope::views {

/// Takes locks away from their holders, each after a question that shows what will be sent.
class ForceRelease : public QObject {
    Q_OBJECT
public:
    /// `window`: the questions open above it.
    ForceRelease(ViewContext* context, QWidget* window);

    /// Whether the lock's connection allows it at all.
    bool isAllowed(trace::EntityId lock) const;
    /// A sentence: why the lock cannot be released by force now. Empty: it can.
    QString refusal(trace::EntityId lock) const;
    /// Opens the question, or complains through the session that it cannot be.
    void ask(trace::EntityId lock);

private:
    void release(trace::EntityId lock, trace::EntityId owner);

    ViewContext* m_context;
    QWidget* m_window;
};

} // namespace lockscope::views
