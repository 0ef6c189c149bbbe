// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/timeline_accessible.h"

#include "models/story.h"
#include "timeline/timeline_view.h"

#include <QAccessibleWidget>
#include <map>

namespace lockscope::views {
namespace {

/// One lane. Made when somebody asks for it; Qt's table of interfaces owns it.
class LaneInterface : public QAccessibleInterface {
public:
    LaneInterface(TimelineView* view, int row) : m_view(view), m_row(row) {}

    bool isValid() const override { return m_view && m_row < int(m_view->layoutOfLanes().rows().size()); }
    QObject* object() const override { return nullptr; }
    QAccessibleInterface* childAt(int, int) const override { return nullptr; }
    QAccessibleInterface* parent() const override { return QAccessible::queryAccessibleInterface(m_view); }
    QAccessibleInterface* child(int) const override { return nullptr; }
    int childCount() const override { return 0; }
    int indexOfChild(const QAccessibleInterface*) const override { return -1; }
    QString text(QAccessible::Text t) const override {
        return t == QAccessible::Name && isValid() ? m_view->rowWords(m_row) : QString();
    }
    void setText(QAccessible::Text, const QString&) override {}
    QRect rect() const override {
        if (!isValid()) return {};
        const QRect r = m_view->rowRect(m_row);
        return {m_view->viewport()->mapToGlobal(r.topLeft()), r.size()};
    }
    QAccessible::Role role() const override { return QAccessible::ListItem; }
    QAccessible::State state() const override {
        QAccessible::State state;
        if (!isValid()) {
            state.invalid = true;
            return state;
        }
        state.focusable = state.selectable = state.readOnly = true;
        state.focused = state.selected = m_view->hasFocus() && m_view->focusRow() == m_row;
        state.offscreen = !m_view->isInSight(m_row);
        return state;
    }

private:
    QPointer<TimelineView> m_view;
    int m_row;
};

class TimelineInterface : public QAccessibleWidget {
public:
    explicit TimelineInterface(TimelineView* view) : QAccessibleWidget(view, QAccessible::List), m_view(view) {}
    ~TimelineInterface() override {
        for (const auto& [row, id] : m_lanes)
            QAccessible::deleteAccessibleInterface(id);
    }

    /// The story at the playhead stands before the keys: a sighted reader takes it in at a glance.
    QString text(QAccessible::Text t) const override {
        const QString usual = QAccessibleWidget::text(t);
        if (t != QAccessible::Description || !m_view || !m_view->context()) return usual;
        QStringList parts{storyAtPlayhead(*m_view->context()), m_view->foldedWords(), usual};
        parts.removeAll(QString());
        return parts.join(u' ');
    }
    int childCount() const override { return m_view ? int(m_view->layoutOfLanes().rows().size()) : 0; }
    QAccessibleInterface* child(int row) const override {
        if (row < 0 || row >= childCount()) return nullptr;
        if (const auto found = m_lanes.find(row); found != m_lanes.end())
            return QAccessible::accessibleInterface(found->second);
        auto lane = std::make_unique<LaneInterface>(m_view, row);
        QAccessibleInterface* interface = lane.get();
        m_lanes[row] = QAccessible::registerAccessibleInterface(lane.release()); // owned by Qt's table from here on
        return interface;
    }
    int indexOfChild(const QAccessibleInterface* child) const override {
        for (const auto& [row, id] : m_lanes)
            if (QAccessible::accessibleInterface(id) == child) return row;
        return -1;
    }
    QAccessibleInterface* childAt(int x, int y) const override {
        if (!m_view) return nullptr;
        const QPoint point = m_view->viewport()->mapFromGlobal(QPoint(x, y));
        return m_view->viewport()->rect().contains(point) ? child(m_view->rowAt(point.y())) : nullptr;
    }
    QAccessibleInterface* focusChild() const override { return m_view ? child(m_view->focusRow()) : nullptr; }

private:
    QPointer<TimelineView> m_view;
    mutable std::map<int, QAccessible::Id> m_lanes;
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
