// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "models/view_context.h"

#include <QWidget>

class QScrollArea;

namespace lockscope::views {

class SectionCaption;
class WaitPicture;

/// The part of the wait-for graph that one lock is about, under a caption, for the lock's detail. Hidden while the lock
/// is in no circle and no chain of waits; see waitsAround().
class LockWaits : public QWidget {
    Q_OBJECT
public:
    explicit LockWaits(ViewContext* context, QWidget* parent = nullptr);
    /// Shows the lock as it stands at the playhead.
    void setLock(trace::EntityId lock);
    const WaitPicture* picture() const { return m_picture; }
    /// While somebody points at it, it is scrolled into sight as soon as it is there.
    void setPointedAt(bool pointedAt);
    /// "circle of 2 clients" or "chain of 3 waits".
    QString hint() const;

protected:
    void resizeEvent(QResizeEvent* event) override;
    void moveEvent(QMoveEvent* event) override;

private:
    void fit();
    /// The area that this is scrolled in; nullptr: none.
    QScrollArea* areaAround() const;
    void scrollThere();
    void keepInSight();
    ViewContext* m_context;
    SectionCaption* m_caption;
    QScrollArea* m_scroll; ///< from side to side: several clients beside each other may be wider than a dock
    WaitPicture* m_picture;
    bool m_pointedAt = false;
};

} // namespace lockscope::views
