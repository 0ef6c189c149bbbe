// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/timeline_accessible.h"

#include "models/story.h"
#include "theme/accessible_list.h"
#include "timeline/timeline_view.h"

namespace lockscope::views {
namespace {

/// One lane.
class LaneInterface : public AccessibleElement {
public:
    LaneInterface(TimelineView* view, int row) : AccessibleElement(view, row), m_view(view) {}

    bool isValid() const override { return m_view && index() < int(m_view->layoutOfLanes().rows().size()); }
    QString text(QAccessible::Text t) const override {
        return t == QAccessible::Name && isValid() ? m_view->rowWords(index()) : QString();
    }
    QRect rect() const override {
        if (!isValid()) return {};
        const QRect r = m_view->rowRect(index());
        return {m_view->viewport()->mapToGlobal(r.topLeft()), r.size()};
    }
    QAccessible::State state() const override {
        QAccessible::State state;
        if (!isValid()) {
            state.invalid = true;
            return state;
        }
        state.focusable = state.selectable = state.readOnly = true;
        state.focused = state.selected = m_view->hasFocus() && m_view->focusRow() == index();
        state.offscreen = !m_view->isInSight(index());
        return state;
    }

private:
    QPointer<TimelineView> m_view;
};

class TimelineInterface : public AccessibleList {
public:
    explicit TimelineInterface(TimelineView* view) : AccessibleList(view), m_view(view) {}

    /// The story at the playhead stands before the keys: a sighted reader takes it in at a glance.
    QString text(QAccessible::Text t) const override {
        const QString usual = QAccessibleWidget::text(t);
        if (t != QAccessible::Description || !m_view || !m_view->context()) return usual;
        QStringList parts{storyAtPlayhead(*m_view->context()), m_view->foldedWords(), usual};
        parts.removeAll(QString());
        return parts.join(u' ');
    }
    int childCount() const override { return m_view ? int(m_view->layoutOfLanes().rows().size()) : 0; }
    QAccessibleInterface* childAt(int x, int y) const override {
        if (!m_view) return nullptr;
        const QPoint point = m_view->viewport()->mapFromGlobal(QPoint(x, y));
        return m_view->viewport()->rect().contains(point) ? child(m_view->rowAt(point.y())) : nullptr;
    }
    QAccessibleInterface* focusChild() const override { return m_view ? child(m_view->focusRow()) : nullptr; }

private:
    std::unique_ptr<AccessibleElement> makeElement(int row) const override {
        return std::make_unique<LaneInterface>(m_view, row);
    }
    QPointer<TimelineView> m_view;
};

QAccessibleInterface* make(const QString&, QObject* object) {
    if (auto* view = qobject_cast<TimelineView*>(object)) return new TimelineInterface(view); // Qt's table owns it
    return nullptr;
}

} // namespace

void installTimelineAccessibility() {
    static const bool installed = [] {
        QAccessible::installFactory(make);
        return true;
    }();
    Q_UNUSED(installed);
}

void announceTimelineChange(TimelineView* view) {
    if (!QAccessible::isActive() || view->focusRow() < 0 || !view->hasFocus()) return;
    QAccessibleEvent event(view, QAccessible::NameChanged);
    event.setChild(view->focusRow());
    QAccessible::updateAccessibility(&event);
}

void announceTimelineStory(TimelineView* view) {
    if (!QAccessible::isActive()) return;
    QAccessibleEvent event(view, QAccessible::DescriptionChanged);
    QAccessible::updateAccessibility(&event);
}

void announceTimelineFocus(TimelineView* view, int row) {
    if (!QAccessible::isActive()) return;
    QAccessibleEvent event(view, QAccessible::Focus);
    event.setChild(row);
    QAccessible::updateAccessibility(&event);
}

} // namespace lockscope::views
