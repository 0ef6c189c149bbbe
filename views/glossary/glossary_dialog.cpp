// SPDX-License-Identifier: GPL-3.0-or-later
#include "glossary/glossary_dialog.h"

#include "lesson/lesson_file.h"
#include "theme/fonts.h"
#include "theme/style.h"
#include "theme/widgets.h"

#include <QBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>

namespace lockscope::views {
namespace {

using Kind = lesson::Term::Kind;

constexpr int kListWidth = 240;

QString kindWord(Kind kind) {
    switch (kind) {
    case Kind::Word:
        return GlossaryDialog::tr("term");
    case Kind::Role:
        return GlossaryDialog::tr("role");
    case Kind::Invariant:
        return GlossaryDialog::tr("invariant");
    case Kind::Recipe:
        return GlossaryDialog::tr("recipe");
    case Kind::Mark:
        return GlossaryDialog::tr("mark of the timeline");
    }
    return {};
}

} // namespace

GlossaryDialog::GlossaryDialog(const QString& language, QWidget* parent)
    : QDialog(parent),
      m_language(language),
      m_field(new QLineEdit),
      m_list(new QListWidget),
      m_name(new Paragraph),
      m_kind(new Pill),
      m_sentence(new Paragraph),
      m_lesson(new QPushButton) {
    setWindowTitle(tr("What is this?"));
    resize(720, 440);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(2 * kGrid, 2 * kGrid, 2 * kGrid, 2 * kGrid);
    column->setSpacing(kGrid);
    auto* caption = new SectionCaption(tr("What is this?"));
    caption->setHint(tr("every word of the program in one sentence"));
    column->addWidget(caption);
    m_field->setPlaceholderText(tr("Find a word"));
    m_field->setAccessibleName(tr("Find a word"));
    m_field->setClearButtonEnabled(true);
    m_field->installEventFilter(this);
    column->addWidget(m_field);

    auto* row = new QHBoxLayout;
    row->setSpacing(3 * kGrid);
    m_list->setObjectName(QStringLiteral("glossary.list"));
    m_list->setAccessibleName(tr("Terms"));
    m_list->setFixedWidth(int(kListWidth * textScale()));
    makeFrameless(m_list);
    row->addWidget(m_list);
    auto* words = new QVBoxLayout;
    words->setSpacing(kGrid);
    m_name->setFont(uiFont(5, QFont::DemiBold));
    static_cast<DimLabel*>(m_name)->setRole(Role::Text);
    words->addWidget(m_name);
    words->addWidget(m_kind, 0, Qt::AlignLeft);
    m_sentence->setFont(uiFont(1.5));
    static_cast<DimLabel*>(m_sentence)->setRole(Role::Text);
    m_sentence->setTextInteractionFlags(Qt::TextSelectableByMouse);
    words->addWidget(m_sentence);
    words->addSpacing(kGrid);
    makePrimary(m_lesson);
    m_lesson->setAutoDefault(false);
    words->addWidget(m_lesson, 0, Qt::AlignLeft);
    words->addStretch(1);
    row->addLayout(words, 1);
    column->addLayout(row, 1);

    connect(m_field, &QLineEdit::textChanged, this, &GlossaryDialog::refill);
    connect(m_list, &QListWidget::currentRowChanged, this, &GlossaryDialog::showCurrent);
    connect(m_list, &QListWidget::itemActivated, m_lesson, &QPushButton::click);
    connect(m_lesson, &QPushButton::clicked, this, [this] {
        if (const lesson::Term* const term = lesson::findTerm(shownTerm())) Q_EMIT lessonWanted(term->lesson);
    });
    refill();
}

QString GlossaryDialog::shownTerm() const {
    const QListWidgetItem* const item = m_list->currentItem();
    return item ? item->data(Qt::UserRole).toString() : QString();
}

void GlossaryDialog::showTerm(const QString& id) {
    m_field->clear();
    for (int row = 0; row < m_list->count(); ++row)
        if (m_list->item(row)->data(Qt::UserRole).toString() == id) m_list->setCurrentRow(row);
    m_list->scrollToItem(m_list->currentItem(), QAbstractItemView::PositionAtCenter);
    m_field->setFocus();
}

void GlossaryDialog::setOpenLesson(const QString& id) {
    m_openLesson = id;
    showCurrent();
}

void GlossaryDialog::refill() {
    const QString before = shownTerm();
    {
        const QSignalBlocker quiet(m_list);
        m_list->clear();
        for (const lesson::Term* term : lesson::findTerms(m_field->text(), m_language)) {
            auto* item = new QListWidgetItem(term->name.in(m_language), m_list);
            item->setData(Qt::UserRole, term->id);
            item->setSizeHint({0, QFontMetrics(uiFont()).height() + kGrid});
            item->setData(Qt::AccessibleDescriptionRole, term->sentence(m_language));
            if (m_field->text().isEmpty() && term->id == before) m_list->setCurrentItem(item);
        }
        if (!m_list->currentItem()) m_list->setCurrentRow(0);
    }
    showCurrent();
}

void GlossaryDialog::showCurrent() {
    const lesson::Term* const term = lesson::findTerm(shownTerm());
    m_kind->setVisible(term);
    m_lesson->setVisible(term);
    if (!term) {
        m_name->setText(tr("No word is called that"));
        m_sentence->setText(tr("Try another one, or a part of it."));
        return;
    }
    m_name->setText(term->name.in(m_language));
    m_kind->setText(kindWord(term->kind));
    m_sentence->setText(term->sentence(m_language));
    const auto lesson = lesson::loadLesson(term->lesson);
    m_lesson->setVisible(lesson && term->lesson != m_openLesson);
    if (lesson)
        //: On a button: %1 the number of a lesson, %2 its title.
        m_lesson->setText(tr("See it in lesson %1: %2").arg(lesson->order).arg(lesson->title.in(m_language)));
}

/// The list is moved while the field keeps the letters.
bool GlossaryDialog::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_field && event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        const int step = key == Qt::Key_Down ? 1 : key == Qt::Key_Up ? -1 : 0;
        if (step != 0 && m_list->count() > 0) {
            m_list->setCurrentRow(std::clamp(m_list->currentRow() + step, 0, m_list->count() - 1));
            return true;
        }
    }
    return QDialog::eventFilter(watched, event);
}

} // namespace lockscope::views
