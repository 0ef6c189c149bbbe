// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "trace/event.h"

#include <QDialog>

class QLineEdit;
class QPlainTextEdit;
class QPushButton;

namespace lockscope::views {

class DimLabel;

/// Asks twice before a lock is taken away from its holder: the user sees what will be sent, and has to type the lock's
/// name.
class ForceReleaseDialog : public QDialog {
    Q_OBJECT
public:
    /// How sure it is that the key is a lock: of one that is only a guess, the question says that it may be other data.
    ForceReleaseDialog(const QString& lock, const QString& holder, trace::Certainty certainty,
                       QWidget* parent = nullptr);
    /// Shows what will be sent. Before that is known, nothing can be released.
    void setCommands(const QStringList& lines);
    /// Says why nothing can be sent, unless the commands are known already.
    void setRefused(const QString& why);

private:
    void enable();

    QString m_lock, m_holder;
    DimLabel* m_consequence; ///< says what becomes of the holder
    bool m_known = false;    ///< the commands are shown
    QPlainTextEdit* m_commands;
    QLineEdit* m_name;
    QPushButton* m_release;
};

} // namespace lockscope::views
