// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "models/view_context.h"
#include "waits/wait_picture.h"

#include <QTimer>
#include <QWidget>

class QScrollArea;
class QStackedLayout;

namespace lockscope::views {

class EmptyState;
class Paragraph;

/// The wait-for graph at the playhead, over all locks: a circle is a deadlock, and the sentence above names it and the
/// way out. Click or arrow keys select a client or a lock.
class WaitsPanel : public QWidget {
    Q_OBJECT
public:
    explicit WaitsPanel(ViewContext* context, WaitPicture::Direction direction = WaitPicture::Direction::Across,
                        QWidget* parent = nullptr);
    const trace::WaitGraph& graph() const { return m_graph; }
    const WaitLayout& picture() const;
    /// The sentence above the picture.
    QString sentence() const;

protected:
    void showEvent(QShowEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void refresh();

    ViewContext* m_context;
    trace::WaitGraph m_graph;
    QStackedLayout* m_stack;
    EmptyState* m_nobody;
    Paragraph* m_sentence;
    QScrollArea* m_area;
    WaitPicture* m_picture;
    QTimer m_soon; ///< many changes of one frame are drawn once
};

} // namespace lockscope::views
