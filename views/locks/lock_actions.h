// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "models/view_context.h"

#include <QWidget>

class QAction;
class QToolButton;

namespace lockscope::views {

class DimLabel;
class ForceRelease;

/// The row below the detail of a lock on somebody's server: release it by force, allow that on its connection, show it
/// on the timeline, copy all that is told of it. An action that cannot be done stays, and says why.
class LockActions : public QWidget {
    Q_OBJECT
public:
    explicit LockActions(ViewContext* context, QWidget* parent = nullptr);

    /// Shows what can be done with this lock at the playhead.
    void setLock(trace::EntityId lock);
    /// For tests and screen readers: why the lock cannot be released by force; empty: it can.
    QString refusal() const;

Q_SIGNALS:
    void copyRequested();

private:
    QAction* add(const char* id, const char* iconName, const QString& text, const QString& brief,
                 const QKeySequence& keys);
    QToolButton* button(QAction* action);
    void tell(QAction* action, const QString& why);

    ViewContext* m_context;
    ForceRelease* m_release;
    trace::EntityId m_lock = trace::kNoEntity;
    QAction *m_force, *m_allow, *m_show, *m_copy;
    QToolButton* m_allowButton; ///< in sight while there is something to allow
    DimLabel* m_access;         ///< the state of the lock's connection, beside the way to change it
    QWidget* m_acting;          ///< the part that a recording has not
};

} // namespace lockscope::views
