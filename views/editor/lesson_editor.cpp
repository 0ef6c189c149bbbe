// SPDX-License-Identifier: GPL-3.0-or-later
#include "editor/lesson_editor.h"

#include "editor/field_keys.h"
#include "editor/list_editor.h"
#include "editor/object_form.h"
#include "editor/step_axis.h"
#include "editor/text_pane.h"
#include "lesson/lesson_file.h"
#include "scenario/user_files.h"

#include <QDir>
#include <QListWidget>
#include <QMenu>
#include <QThreadPool>

namespace lockscope::views {

LessonEditor::LessonEditor(QWidget* parent)
    : EditorWindow(EditedDocument::Kind::Lesson, parent), m_axis(new StepAxis(document())) {
    setObjectName(QStringLiteral("lesson-editor"));
    addSection(tr("Steps"), keys({"steps"}));
    addSection(tr("Lesson"),
               keys({"id", "title", "idea", "remember", "minutes", "plain", "order", "sources", "aside"}));
    addSection(tr("Scenes"), keys({"scenes"}));
    addSection(tr("Your turn"), keys({"turn"}));
    addCommand(QStringLiteral("editor.preview"), tr("Preview"),
               tr("Shows this step in the main window, in the presenter's view"), {Qt::Key_F5}, "lesson",
               [this] { preview(); });
    addCommand(QStringLiteral("editor.check"), tr("Check"), tr("Plays every scene and says which claim is false"),
               {Qt::CTRL | Qt::Key_R}, "check", [this] { check(); });
    m_axis->setObjectName(QStringLiteral("editor.axis"));
    addBelow(m_axis);
    connect(m_axis, &StepAxis::told, this, &LessonEditor::tell);
    connect(m_axis, &StepAxis::currentChanged, this, [this](int index) {
        showSection(0);
        if (ListEditor* const list = steps(); list && list->current() != index) list->setCurrent(index);
    });
    // The list of the form comes with its section.
    const auto follow = [this] {
        ListEditor* const list = steps();
        if (!list) return;
        connect(list, &ListEditor::currentChanged, m_axis, &StepAxis::setCurrent, Qt::UniqueConnection);
        m_axis->setCurrent(list->current());
    };
    connect(sections(), &QListWidget::currentRowChanged, this, follow);
    newDocument();
    follow();
}

ListEditor* LessonEditor::steps() const {
    return form() ? qobject_cast<ListEditor*>(form()->field(QStringLiteral("steps"))) : nullptr;
}

int LessonEditor::step() const {
    const ListEditor* const list = steps();
    return list ? std::max(0, list->current()) : 0;
}

std::optional<lesson::Lesson> LessonEditor::playable() {
    document()->flush();
    if (document()->lesson()) return document()->lesson();
    if (!document()->isLegible()) return std::nullopt;
    auto read = lesson::parseUnfinished(document()->json(), {});
    if (read) return *std::move(read);
    tell(tr("First mend what is wrong: %1").arg(read.error().front().toString()));
    return std::nullopt;
}

void LessonEditor::preview() {
    if (const auto lesson = playable()) Q_EMIT previewWanted(*lesson, step());
}

void LessonEditor::check() {
    const auto lesson = playable();
    if (!lesson || m_checking) return;
    m_checking = true;
    tell(tr("Playing every scene …"));
    // Runs take their time, and the window goes on meanwhile.
    QThreadPool::globalInstance()->start([lesson = *lesson, self = QPointer(this)] {
        const std::vector<lesson::Untruth> wrong = lesson::untruthsOf(lesson);
        QMetaObject::invokeMethod(
            qApp,
            [self, wrong] {
                if (self) self->tellFindings(wrong);
            },
            Qt::QueuedConnection);
    });
}

void LessonEditor::tellFindings(const std::vector<lesson::Untruth>& wrong) {
    m_checking = false;
    QStringList sentences, places;
    for (const lesson::Untruth& one : wrong) {
        sentences += one.what;
        places += one.step < 0 ? QStringLiteral("/scenes") : QStringLiteral("/steps/%1").arg(one.step);
    }
    const QString state = wrong.empty() ? tr("Checked: every claim is true of its run.")
                                        : tr("%n thing(s) are not true", "", int(wrong.size()));
    text()->setFindings(sentences, places, state);
    tell(state);
    Q_EMIT checked();
}

QString LessonEditor::folder() const {
    return scenario::userFolder(scenario::Shelf::Lessons);
}

void LessonEditor::fillCopies() {
    for (const QString& name : scenario::userFiles(scenario::Shelf::Lessons))
        offerCopy(name, scenario::userFile(scenario::Shelf::Lessons, name));
    copiesMenu()->addSeparator();
    for (const QString& id : lesson::builtinLessons())
        offerCopy(id, lesson::lessonPath(id));
}

} // namespace lockscope::views
