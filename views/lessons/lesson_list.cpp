// SPDX-License-Identifier: GPL-3.0-or-later
#include "lessons/lesson_list.h"

#include "lesson/lesson_file.h"
#include "scenario/user_files.h"
#include "theme/fonts.h"
#include "theme/screen_room.h"
#include "theme/style.h"
#include "theme/widgets.h"

#include <QBoxLayout>
#include <QListWidget>
#include <QPainter>
#include <QPushButton>
#include <QStyledItemDelegate>

namespace lockscope::views {
namespace {

enum ItemRole { Id = Qt::UserRole, Idea, Right, Step };

/// Title, idea below it, and at the right how long it takes or how far one has come.
class LessonDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override {
        return {200, QFontMetrics(uiFont(1)).height() + QFontMetrics(uiFont(-1)).height() + 18};
    }
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        const bool chosen = option.state & QStyle::State_Selected;
        if (chosen || option.state & QStyle::State_MouseOver) {
            painter->setPen(Qt::NoPen);
            painter->setBrush(color(chosen ? Role::Selection : Role::SurfaceHover));
            painter->drawRoundedRect(QRectF(option.rect).adjusted(1, 1, -1, -1), 6, 6);
        }
        if (chosen && option.state & QStyle::State_HasFocus) {
            painter->setPen(QPen(color(Role::FocusRing), 2));
            painter->setBrush(Qt::NoBrush);
            painter->drawRoundedRect(QRectF(option.rect).adjusted(2, 2, -2, -2), 6, 6);
        }
        QRect room = option.rect.adjusted(12, 7, -12, -7);
        painter->setFont(uiFont(-1));
        painter->setPen(color(Role::TextDim));
        const QString right = index.data(Right).toString();
        painter->drawText(room, Qt::AlignRight | Qt::AlignTop, right);
        room.setRight(room.right() - painter->fontMetrics().horizontalAdvance(right) - 12);
        painter->drawText(room, Qt::AlignLeft | Qt::AlignBottom,
                          painter->fontMetrics().elidedText(index.data(Idea).toString(), Qt::ElideRight, room.width()));
        painter->setFont(uiFont(1, QFont::DemiBold));
        painter->setPen(color(Role::Text));
        painter->drawText(room, Qt::AlignLeft | Qt::AlignTop, index.data().toString());
        painter->restore();
    }
};

} // namespace

LessonList::LessonList(const QString& language, QWidget* parent)
    : QDialog(parent), m_language(language), m_list(new QListWidget) {
    setWindowTitle(tr("Lessons"));
    setModal(true);
    resize(roomFor(this, {720, 640}));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(2 * kGrid, 2 * kGrid, 2 * kGrid, 2 * kGrid);
    column->setSpacing(kGrid);
    auto* caption = new SectionCaption(tr("Lessons"));
    caption->setHint(tr("bet on what happens, then watch; each ends with a task of your own"));
    column->addWidget(caption);
    m_list->setObjectName(QStringLiteral("lessons.list"));
    m_list->setAccessibleName(tr("Lessons"));
    m_list->setItemDelegate(new LessonDelegate(m_list));
    m_list->setMouseTracking(true);
    makeFrameless(m_list);
    column->addWidget(m_list, 1);
    auto* row = new QHBoxLayout;
    row->addStretch(1);
    auto* close = new QPushButton(tr("Close"));
    close->setAutoDefault(false);
    connect(close, &QPushButton::clicked, this, &QDialog::reject);
    auto* begin = new QPushButton(tr("Begin"));
    makePrimary(begin);
    begin->setDefault(true);
    connect(begin, &QPushButton::clicked, this, &LessonList::choose);
    row->addWidget(begin);
    row->addWidget(close);
    column->addLayout(row);
    connect(m_list, &QListWidget::itemDoubleClicked, this, &LessonList::choose);
}

void LessonList::showCourse(const std::map<QString, LessonProgress>& progress, const QString& current) {
    m_list->clear();
    int at = 0; // the lesson that is open
    const QStringList course = lesson::builtinLessons();
    for (const QString& id : course + scenario::userFiles(scenario::Shelf::Lessons)) {
        if (m_list->count() >= course.size() && course.contains(id)) {
            auto* const hidden = new QListWidgetItem(tr("Your own · %1").arg(id), m_list);
            hidden->setData(Idea, tr("A built-in lesson has this name, too: give the file %1 another one.")
                                      .arg(scenario::userFile(scenario::Shelf::Lessons, id)));
            hidden->setData(Right, tr("cannot be opened"));
            hidden->setData(Qt::AccessibleDescriptionRole, hidden->data(Idea));
            hidden->setToolTip(hidden->data(Idea).toString());
            continue;
        }
        const auto lesson = lesson::loadLesson(id);
        if (!lesson) { // one of the person's own: a test reads all others
            auto* const broken = new QListWidgetItem(tr("Your own · %1").arg(id), m_list);
            broken->setData(Idea, lesson.error().front().toString());
            broken->setData(Right, tr("has mistakes"));
            broken->setData(Qt::AccessibleDescriptionRole, broken->data(Idea));
            broken->setToolTip(broken->data(Idea).toString());
            continue;
        }
        const QString title = lesson->title.in(m_language);
        //: Of a lesson in a list: %1 its number, %2 its title.
        auto* item =
            new QListWidgetItem(m_list->count() < course.size() ? tr("%1 · %2").arg(m_list->count() + 1).arg(title)
                                                                : tr("Your own · %1").arg(title),
                                m_list);
        const auto mine = progress.find(id);
        const bool begun = mine != progress.end() && mine->second.step > 0;
        const bool done = mine != progress.end() && mine->second.done;
        item->setData(Id, id);
        item->setData(Idea, lesson->idea.in(m_language));
        item->setData(Step, begun && !done ? mine->second.step : 0);
        const bool open = done && lesson->turn && !mine->second.solved;
        item->setData(Right, open    ? tr("done, task open")
                             : done  ? tr("done ✓")
                             : begun ? tr("go on at step %1").arg(mine->second.step + 1)
                                     : tr("%n min", "", lesson->minutes));
        item->setData(Qt::AccessibleDescriptionRole,
                      item->data(Idea).toString() + QStringLiteral(" ") + item->data(Right).toString());
        if (id == current) at = m_list->count() - 1;
    }
    const auto isBehind = [&](int row) { // done, or not to be read
        const auto mine = progress.find(m_list->item(row)->data(Id).toString());
        return mine == progress.end() || mine->second.done;
    };
    int row = at;
    for (int i = 0; i < m_list->count() && isBehind(row); ++i)
        row = (row + 1) % m_list->count();
    m_list->setCurrentRow(row);
    m_list->setFocus();
}

void LessonList::choose() {
    const QListWidgetItem* const item = m_list->currentItem();
    if (!item || item->data(Id).toString().isEmpty()) return; // what is wrong with it stands in its line
    accept();
    Q_EMIT lessonChosen(item->data(Id).toString(), item->data(Step).toInt());
}

} // namespace lockscope::views
