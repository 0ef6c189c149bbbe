// SPDX-License-Identifier: GPL-3.0-or-later
#include "editor/list_editor.h"

#include "editor/blank_values.h"
#include "editor/field_words.h"
#include "editor/object_form.h"
#include "theme/fonts.h"
#include "theme/icons.h"
#include "theme/widgets.h"

#include <QBoxLayout>
#include <QCoreApplication>
#include <QJsonArray>
#include <QKeyEvent>
#include <QListWidget>
#include <QToolButton>
#include <numeric>

namespace lockscope::views {

namespace {

constexpr int kMostLines = 7; ///< of the list in sight; a longer one scrolls

} // namespace

ListEditor::ListEditor(EditedDocument* document, const SchemaNode& element, const QString& label)
    : FormField(document), m_element(element), m_label(label), m_list(new QListWidget) {
    auto* const column = new QVBoxLayout(this);
    column->setContentsMargins(0, kGrid / 2, 0, kGrid / 2);
    column->setSpacing(kGrid / 2);
    auto* const row = new QHBoxLayout;
    row->setSpacing(2);
    auto* const caption = new QLabel(label);
    caption->setFont(uiFont(0, QFont::DemiBold));
    row->addWidget(caption);
    row->addStretch(1);
    m_add = button("plus", tr("Add"), tr("Insert"), &ListEditor::addOne);
    m_copy = button("copy", tr("Copy"), tr("Ctrl+D"), &ListEditor::addCopy);
    m_up = button("chevron-up", tr("Move up"), tr("Alt+↑"), &ListEditor::up);
    m_down = button("chevron-down", tr("Move down"), tr("Alt+↓"), &ListEditor::down);
    m_remove = button("close", tr("Remove"), tr("Delete"), &ListEditor::removeCurrent);
    for (QToolButton* const one : {m_add, m_copy, m_up, m_down, m_remove})
        row->addWidget(one);
    column->addLayout(row);
    m_list->setAccessibleName(label);
    m_list->setTextElideMode(Qt::ElideRight);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_list->installEventFilter(this);
    connect(m_list, &QListWidget::currentRowChanged, this, [this](int index) {
        if (m_showing) return;
        showForm();
        Q_EMIT currentChanged(index);
    });
    column->addWidget(m_list);
    setFocusProxy(m_list);
}

QToolButton* ListEditor::button(const char* iconName, const QString& what, const QString& keys,
                                void (ListEditor::*press)()) {
    auto* const button = new QToolButton;
    button->setIcon(icon(iconName));
    button->setAutoRaise(true);
    //: A command of a list and its keys: "Add (Insert)".
    button->setToolTip(tr("%1 (%2)").arg(what, keys));
    //: A command of a list: "Add: Faults".
    button->setAccessibleName(tr("%1: %2").arg(what, m_label));
    connect(button, &QToolButton::clicked, this, press);
    return button;
}

int ListEditor::count() const {
    return int(value().toArray().size());
}

int ListEditor::current() const {
    return m_list->currentRow();
}

std::vector<int> ListEditor::allNumbers() const {
    std::vector<int> numbers(static_cast<std::size_t>(count()));
    std::iota(numbers.begin(), numbers.end(), 0);
    return numbers;
}

void ListEditor::setCurrent(int index) {
    m_list->setCurrentRow(index);
}

void ListEditor::refresh() {
    m_showing = true;
    const QJsonArray elements = value().toArray();
    const int before = m_list->currentRow();
    while (m_list->count() > elements.size())
        delete m_list->takeItem(m_list->count() - 1);
    const QString language = QCoreApplication::translate("Language", "en");
    for (int i = 0; i < int(elements.size()); ++i) {
        const QString words = elementWords(elements[i].toObject(), language).simplified();
        QListWidgetItem* item = m_list->item(i);
        if (!item) {
            item = new QListWidgetItem(m_list);
            item->setSizeHint({0, QFontMetrics(uiFont()).height() + kGrid});
        }
        //: An element of a list: %1 its number, %2 what it is.
        const QString line = tr("%1  %2").arg(QString::number(i + 1), words.isEmpty() ? tr("(empty)") : words);
        if (item->text() != line) item->setText(line);
        const QString complaint = document()->complaintAbout(place() + QStringLiteral("/%1").arg(i));
        item->setIcon(complaint.isEmpty() ? QIcon() : icon("warning", Role::Violation));
        item->setToolTip(complaint.isEmpty() ? words : complaint);
    }
    if (m_list->count() > 0) m_list->setCurrentRow(std::clamp(before, 0, m_list->count() - 1));
    m_showing = false;
    const int line = QFontMetrics(uiFont()).height() + kGrid;
    m_list->setFixedHeight(std::clamp(m_list->count(), 1, kMostLines) * line + 2 * m_list->frameWidth() + 4);
    const bool legible = document()->isLegible(), any = current() >= 0;
    m_add->setEnabled(legible);
    for (QToolButton* const one : {m_copy, m_up, m_down, m_remove})
        one->setEnabled(legible && any);
    showForm();
}

void ListEditor::showForm() {
    const int index = current();
    if (index >= 0 && !m_form) {
        m_form = new ObjectForm(document(), m_element);
        m_form->layout()->setContentsMargins(2 * kGrid, kGrid / 2, 0, kGrid);
        connect(m_form, &ObjectForm::textWanted, this, &ListEditor::textWanted);
        layout()->addWidget(m_form);
    }
    if (!m_form) return;
    m_form->setVisible(index >= 0);
    if (index >= 0) m_form->setPlace(place() + QStringLiteral("/%1").arg(index));
}

void ListEditor::addOne() {
    document()->flush();
    const int last = count();
    document()->append(place(), blankElement(*document(), place()));
    setCurrent(last);
}

void ListEditor::addCopy() {
    document()->flush();
    const int index = current();
    if (index < 0) return;
    std::vector<int> numbers = allNumbers();
    numbers.insert(numbers.begin() + index, index);
    document()->arrange(place(), numbers);
    setCurrent(index + 1);
}

void ListEditor::removeCurrent() {
    document()->flush();
    const int index = current();
    if (index < 0) return;
    document()->removeElement(place(), index);
}

void ListEditor::moveCurrent(int by) {
    document()->flush();
    const int from = current(), to = from + by;
    if (from < 0 || to < 0 || to >= count()) return;
    std::vector<int> numbers = allNumbers();
    std::swap(numbers[std::size_t(from)], numbers[std::size_t(to)]);
    document()->arrange(place(), numbers);
    setCurrent(to);
}

bool ListEditor::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() != QEvent::KeyPress) return FormField::eventFilter(watched, event);
    const auto* const key = static_cast<const QKeyEvent*>(event);
    const bool alt = key->modifiers() == Qt::AltModifier, plain = key->modifiers() == Qt::NoModifier;
    if (key->key() == Qt::Key_Insert && plain)
        addOne();
    else if (key->key() == Qt::Key_D && key->modifiers() == Qt::ControlModifier)
        addCopy();
    else if (key->key() == Qt::Key_Delete && plain)
        removeCurrent();
    else if (alt && key->key() == Qt::Key_Up)
        moveCurrent(-1);
    else if (alt && key->key() == Qt::Key_Down)
        moveCurrent(1);
    else
        return FormField::eventFilter(watched, event);
    return true;
}

} // namespace lockscope::views
