// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "models/view_context.h"
#include "runtime/background.h"
#include "trace/state_difference.h"

#include <QDialog>

class QListView;
class QPushButton;
class QStandardItemModel;

namespace lockscope::views {

class SectionCaption;

/// The differences of a later instant of the session from an earlier one, as a list of sentences. Opening an entry
/// shows the later instant with the lock, the server or the client selected. Works on a thread of its own.
class WhatChangedDialog : public QDialog {
    Q_OBJECT
public:
    /// Precondition: a session is open, and from < to.
    WhatChangedDialog(ViewContext* context, Nanos from, Nanos to, QWidget* parent = nullptr);
    ~WhatChangedDialog() override;

    /// The entries so far; empty until ready().
    QStringList sentences() const;

Q_SIGNALS:
    void ready();

private:
    /// Says it beside the stretch's two ends.
    void tell(const QString& text);
    void take(const std::vector<trace::Change>& changes, const QStringList& sentences);
    void open(int row);
    void copy() const;

    ViewContext* m_context;
    Nanos m_from, m_to;
    std::shared_ptr<const trace::Trace> m_trace;
    SectionCaption* m_caption;
    QListView* m_list;
    QStandardItemModel* m_model;
    QPushButton* m_copy;
    std::vector<trace::Change> m_changes;
    Background m_thread{"differences"};
};

} // namespace lockscope::views
