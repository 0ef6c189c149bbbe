// SPDX-License-Identifier: GPL-3.0-or-later
#include "editor/editor_window.h"

#include "editor/blank_values.h"
#include "editor/object_form.h"
#include "editor/run_preview.h"
#include "editor/text_pane.h"
#include "theme/fonts.h"
#include "theme/icons.h"
#include "theme/screen_room.h"
#include "theme/style.h"
#include "theme/widgets.h"
#include "trace/json_edit.h"

#include <QAbstractButton>
#include <QBoxLayout>
#include <QCloseEvent>
#include <QDir>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QListWidget>
#include <QMenuBar>
#include <QMessageBox>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSaveFile>
#include <QScrollArea>
#include <QScrollBar>
#include <QSplitter>
#include <QStatusBar>

namespace lockscope::views {

namespace {

constexpr int kSectionsWidth = 192, kFormWidth = 520;
constexpr int kLeastForm = 340, kLeastText = 240; ///< with the sections as wide as the smallest window

} // namespace

EditorWindow::EditorWindow(EditedDocument::Kind kind, QWidget* parent)
    : QMainWindow(parent, Qt::Window),
      m_document(new EditedDocument(kind, this)),
      m_sections(new QListWidget),
      m_room(new QScrollArea),
      m_pages(new QWidget),
      m_text(new TextPane(m_document)),
      m_commands(new QHBoxLayout) {
    setMinimumSize(kSmallestWindow);
    resize(roomFor(this, {1440, 920}));
    auto* const centre = new QWidget;
    m_column = new QVBoxLayout(centre);
    m_column->setContentsMargins(0, 0, 0, 0);
    m_column->setSpacing(0);
    m_commands->setContentsMargins(2 * kGrid, kGrid, 2 * kGrid, kGrid);
    m_commands->setSpacing(kGrid);
    m_commands->addStretch(1);
    m_column->addLayout(m_commands);
    m_column->addWidget(new HairLine(Qt::Horizontal));

    m_sections->setObjectName(QStringLiteral("editor.sections"));
    m_sections->setAccessibleName(tr("Sections"));
    m_sections->setFixedWidth(kSectionsWidth);
    m_sections->setFont(uiFont(1));
    m_sections->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_sections->setTextElideMode(Qt::ElideRight);
    makeFrameless(m_sections);
    connect(m_sections, &QListWidget::currentRowChanged, this, &EditorWindow::showSection);

    auto* const pages = new QVBoxLayout(m_pages);
    pages->setContentsMargins(2 * kGrid, 2 * kGrid, 2 * kGrid, 2 * kGrid);
    pages->addStretch(1);
    m_room->setWidget(m_pages);
    m_room->setWidgetResizable(true);
    m_room->setFrameShape(QFrame::NoFrame);
    m_room->setFocusPolicy(Qt::NoFocus); // its fields have it
    m_room->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_room->setMinimumWidth(kLeastForm);

    auto* const beside = new QWidget;
    beside->setMinimumWidth(kLeastText);
    auto* const margin = new QVBoxLayout(beside);
    margin->setContentsMargins(kGrid, kGrid, kGrid, kGrid);
    margin->addWidget(m_text);
    auto* const split = new QSplitter(Qt::Horizontal);
    split->addWidget(m_room);
    split->addWidget(beside);
    split->setSizes({kFormWidth, 1440 - kSectionsWidth - kFormWidth});
    split->setStretchFactor(1, 1);
    split->setChildrenCollapsible(false);
    auto* const middle = new QHBoxLayout;
    middle->setSpacing(0);
    middle->addWidget(m_sections);
    middle->addWidget(new HairLine(Qt::Vertical));
    middle->addWidget(split, 1);
    m_column->addLayout(middle, 1);
    setCentralWidget(centre);
    statusBar()->setSizeGripEnabled(false);
    makeMenus();

    connect(m_document, &EditedDocument::changed, this, &EditorWindow::refresh);
    connect(m_document->text(), &QTextDocument::modificationChanged, this, &EditorWindow::refreshTitle);
}

void EditorWindow::makeMenus() {
    QMenu* const file = menuBar()->addMenu(tr("&File"));
    QMenu* const edit = menuBar()->addMenu(tr("&Edit"));
    m_extra = menuBar()->addMenu(tr("&Run"));
    const auto add = [this](QMenu* menu, const char* id, const QString& text, const QKeySequence& keys, auto&& run) {
        auto* const action = new QAction(text, this);
        action->setObjectName(QLatin1String(id));
        action->setShortcut(keys);
        connect(action, &QAction::triggered, this, run);
        menu->addAction(action);
        return action;
    };
    add(file, "editor.new", tr("&New"), QKeySequence::New, [this] { newDocument(); });
    add(file, "editor.open", tr("&Open…"), QKeySequence::Open, [this] { askForFile(); });
    m_copies = file->addMenu(tr("&Copy of"));
    connect(m_copies, &QMenu::aboutToShow, this, [this] {
        m_copies->clear();
        fillCopies();
    });
    file->addSeparator();
    add(file, "editor.save", tr("&Save"), QKeySequence::Save, [this] { save(); });
    add(file, "editor.save-as", tr("Save &as…"), {Qt::CTRL | Qt::SHIFT | Qt::Key_S}, [this] { askWhereToSave(); });
    file->addSeparator();
    add(file, "editor.close", tr("&Close"), {}, [this] { close(); }) // as other windows that come and go
        ->setShortcuts({QKeySequence(Qt::CTRL | Qt::Key_W), QKeySequence(Qt::Key_Escape)});
    add(edit, "editor.undo", tr("&Undo"), {}, [this] { m_document->undo(); })->setShortcuts(QKeySequence::Undo);
    add(edit, "editor.redo", tr("&Redo"), {}, [this] { m_document->redo(); })->setShortcuts(QKeySequence::Redo);
    edit->addSeparator();
    // F6 goes round the parts of the window, so that no part is far away by keyboard.
    add(edit, "editor.next-part", tr("To the &next part"), {Qt::Key_F6}, [this] {
        QWidget* const focus = focusWidget();
        if (m_sections->hasFocus() && m_form)
            enterForm();
        else if (focus && m_room->isAncestorOf(focus))
            m_text->edit()->setFocus();
        else if (m_text->edit()->hasFocus())
            m_text->complaints()->setFocus();
        else if (m_below && m_text->complaints()->hasFocus())
            m_below->setFocus();
        else
            m_sections->setFocus();
    });
}

void EditorWindow::enterForm() {
    for (QWidget* const field : m_form->findChildren<QWidget*>())
        if ((field->focusPolicy() & Qt::TabFocus) && field->isVisible() && field->isEnabled()) return field->setFocus();
}

void EditorWindow::addSection(const QString& title, const QStringList& keys) {
    m_keys.push_back(keys);
    auto* const item = new QListWidgetItem(title, m_sections);
    item->setSizeHint({0, QFontMetrics(uiFont(1)).height() + 2 * kGrid});
}

QAction* EditorWindow::addCommand(const QString& id, const QString& text, const QString& hint, const QKeySequence& keys,
                                  const char* iconName, const std::function<void()>& run) {
    auto* const action = new QAction(icon(iconName), text, this);
    action->setObjectName(id);
    action->setShortcut(keys);
    connect(action, &QAction::triggered, this, run);
    m_extra->addAction(action);
    auto* const button =
        new QPushButton(icon(iconName, m_commands->count() == 1 ? Role::TextOnColor : Role::Text), text);
    if (m_commands->count() == 1) makePrimary(button);
    button->setToolTip(hint + QStringLiteral(" (") + keys.toString(QKeySequence::NativeText) + u')');
    button->setAccessibleDescription(hint);
    connect(button, &QPushButton::clicked, action, &QAction::trigger);
    connect(action, &QAction::changed, button, [action, button] { button->setEnabled(action->isEnabled()); });
    m_commands->insertWidget(m_commands->count() - 1, button);
    return action;
}

QAction* EditorWindow::addSwitch(const QString& id, const QString& text, const QKeySequence& keys,
                                 const std::function<void()>& changed) {
    auto* const action = new QAction(text, this);
    action->setObjectName(id);
    action->setShortcut(keys);
    action->setCheckable(true);
    action->setChecked(true);
    connect(action, &QAction::toggled, this, changed);
    m_extra->addAction(action);
    return action;
}

void EditorWindow::addBelow(QWidget* widget) {
    m_column->addWidget(new HairLine(Qt::Horizontal));
    m_column->addWidget(widget);
    m_below = widget;
}

void EditorWindow::addBelow(QWidget* widget, RunPreview* preview) {
    addBelow(widget);
    m_column->addWidget(new HairLine(Qt::Horizontal));
    preview->setObjectName(QStringLiteral("editor.run"));
    m_column->addWidget(preview);
}

void EditorWindow::tell(const QString& sentence) {
    statusBar()->showMessage(sentence);
    statusBar()->setAccessibleDescription(sentence);
}

void EditorWindow::showSection(int index) {
    if (index < 0 || std::size_t(index) >= m_keys.size()) return;
    m_document->flush();
    if (m_sections->currentRow() != index) return m_sections->setCurrentRow(index);
    ObjectForm*& form = m_forms[index];
    if (!form) {
        form = new ObjectForm(m_document, m_document->schema().root(), m_keys[std::size_t(index)]);
        connect(form, &ObjectForm::textWanted, m_text, &TextPane::goTo);
        static_cast<QVBoxLayout*>(m_pages->layout())->insertWidget(0, form);
    }
    if (m_form && m_form != form) m_form->hide();
    m_form = form;
    m_form->setPlace({});
    m_form->setEnabled(m_document->isLegible());
    m_form->show();
    m_room->verticalScrollBar()->setValue(0);
}

void EditorWindow::refresh() {
    if (m_form) {
        m_form->setEnabled(m_document->isLegible());
        m_form->refresh();
    }
    // A section with a complaint says so in the list.
    for (int i = 0; i < m_sections->count(); ++i) {
        QString complaint;
        for (const QString& key : m_keys[std::size_t(i)])
            if (complaint.isEmpty()) complaint = m_document->complaintAbout(u'/' + key);
        m_sections->item(i)->setIcon(complaint.isEmpty() ? QIcon() : icon("warning", Role::Violation));
        m_sections->item(i)->setToolTip(complaint);
    }
    action(QStringLiteral("editor.undo"))->setEnabled(m_document->text()->isUndoAvailable());
    action(QStringLiteral("editor.redo"))->setEnabled(m_document->text()->isRedoAvailable());
    tell(m_document->isLegible() ? m_text->state() : tr("The text is no JSON at present: the form waits until it is."));
    refreshTitle();
}

void EditorWindow::refreshTitle() {
    const QString id = m_document->at(QStringLiteral("/id")).toString();
    const QString name = m_path.isEmpty() ? id : QFileInfo(m_path).fileName();
    //: The title of a window: %1 a file, %2 "Scenario editor".
    setWindowTitle(tr("%1[*] — %2 — Lockscope")
                       .arg(name, m_document->kind() == EditedDocument::Kind::Scenario ? tr("Scenario editor")
                                                                                       : tr("Lesson editor")));
    setWindowModified(m_document->text()->isModified());
}

void EditorWindow::load(const QByteArray& json, const QString& path) {
    m_path = path;
    m_onDisk = json;
    m_document->load(json);
    m_text->edit()->moveCursor(QTextCursor::Start);
    if (!m_form) showSection(0);
    refreshTitle();
}

void EditorWindow::newDocument() {
    afterSaving([this] { load(blankDocument(m_document->kind()), {}); });
}

void EditorWindow::openFile(const QString& path) {
    afterSaving([this, path] {
        QFile file(path);
        if (file.open(QIODevice::ReadOnly)) return load(file.readAll(), path);
        auto* const box =
            new QMessageBox(QMessageBox::Warning, tr("Open"), tr("%1 cannot be read: %2").arg(path, file.errorString()),
                            QMessageBox::Ok, this);
        ask(box);
    });
}

void EditorWindow::openCopy(const QByteArray& json) {
    afterSaving([this, json] {
        load(json, {});
        const QString id = m_document->at(QStringLiteral("/id")).toString();
        m_document->change([&](QByteArray text) {
            text = withValue(text, QStringLiteral("/id"), QStringLiteral("my-") + id);
            // The course and the lists are in the order of what ships with the program.
            if (m_document->kind() == EditedDocument::Kind::Scenario)
                text = withoutValue(text, QStringLiteral("/order"));
            return text;
        });
        m_document->text()->setModified(false); // a person who only looked at it is not asked to save it
        refreshTitle();
    });
}

void EditorWindow::offerCopy(const QString& name, const QString& path) {
    m_copies->addAction(name, this, [this, path] {
        QFile file(path);
        if (file.open(QIODevice::ReadOnly))
            openCopy(file.readAll());
        else
            tell(tr("%1 cannot be read: %2").arg(path, file.errorString()));
    });
}

void EditorWindow::openText(const QByteArray& json) {
    afterSaving([this, json] {
        load(json, {});
        m_document->text()->setModified(true);
    });
}

EditorWindow::Kept EditorWindow::kept() {
    m_document->flush();
    return {m_document->json(), m_path, m_onDisk, m_document->text()->isModified(), m_sections->currentRow()};
}

void EditorWindow::restore(const Kept& kept) {
    load(kept.json, kept.path);
    m_onDisk = kept.onDisk;
    m_document->text()->setModified(kept.modified);
    showSection(kept.section);
}

void EditorWindow::askForFile() {
    auto* const dialog = new QFileDialog(this, tr("Open"), folder());
    dialog->setFileMode(QFileDialog::ExistingFile);
    dialog->setNameFilters({tr("Files of this kind (*.json)"), tr("All files (*)")});
    connect(dialog, &QFileDialog::fileSelected, this, &EditorWindow::openFile);
    ask(dialog);
}

void EditorWindow::save() {
    if (m_path.isEmpty()) return askWhereToSave();
    saveThen([] {});
}

void EditorWindow::saveThen(const std::function<void()>& run) {
    QFile file(m_path);
    const bool changed = file.open(QIODevice::ReadOnly) && file.readAll() != m_onDisk;
    if (!changed) return saveTo(m_path) ? run() : void();
    auto* const box = new QMessageBox(QMessageBox::Warning, tr("Save"),
                                      tr("%1 was changed by another program since it was read here.").arg(m_path),
                                      QMessageBox::Cancel, this);
    box->setInformativeText(tr("Saving replaces what that program wrote."));
    const QAbstractButton* const replace = box->addButton(tr("Replace it"), QMessageBox::AcceptRole);
    const QAbstractButton* const elsewhere = box->addButton(tr("Save as…"), QMessageBox::ActionRole);
    box->setDefaultButton(QMessageBox::Cancel);
    connect(box, &QMessageBox::buttonClicked, this, [this, replace, elsewhere, run](QAbstractButton* clicked) {
        if (clicked == replace && saveTo(m_path)) return run();
        if (clicked != elsewhere) return;
        askWhereToSave();
        m_afterSave = run;
    });
    ask(box);
}

void EditorWindow::askWhereToSave() {
    QDir().mkpath(folder()); // a failure shows when the file is written
    auto* const dialog = new QFileDialog(this, tr("Save as"), folder());
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QStringLiteral("json"));
    dialog->setNameFilters({tr("Files of this kind (*.json)")});
    dialog->selectFile(m_document->at(QStringLiteral("/id")).toString() + QStringLiteral(".json"));
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& path) {
        const auto then = std::exchange(m_afterSave, {});
        if (saveTo(path) && then) then();
    });
    m_afterSave = {}; // an earlier one was given up with its dialogue
    ask(dialog);
}

bool EditorWindow::saveTo(const QString& path) {
    m_document->flush();
    QSaveFile file(path); // an old file stays whole when the disk is full
    if (!file.open(QIODevice::WriteOnly) || file.write(m_document->json()) < 0 || !file.commit()) {
        ask(new QMessageBox(QMessageBox::Warning, tr("Save"),
                            tr("%1 could not be written: %2").arg(path, file.errorString()), QMessageBox::Ok, this));
        return false;
    }
    m_path = path;
    m_onDisk = m_document->json();
    m_document->text()->setModified(false);
    refreshTitle();
    tell(m_document->problems().empty() ? tr("Saved %1.").arg(path)
                                        : tr("Saved %1 as it stands, with its complaints.").arg(path));
    Q_EMIT saved(path);
    return true;
}

void EditorWindow::ask(QDialog* dialog) {
    // A second question takes the place of the first, whose answer is to cancel: both would ask about the same text.
    if (m_question && m_question->isVisible()) m_question->reject();
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    m_question = dialog;
    dialog->open();
}

void EditorWindow::afterSaving(const std::function<void()>& run) {
    m_document->flush();
    if (!m_document->text()->isModified()) return run();
    auto* const box = new QMessageBox(QMessageBox::Question, tr("Unsaved changes"),
                                      tr("The changes in “%1” are not saved.").arg(windowTitle().section(u'[', 0, 0)),
                                      QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, this);
    box->setDefaultButton(QMessageBox::Save);
    connect(box, &QMessageBox::finished, this, [this, run](int answer) {
        if (answer == QMessageBox::Discard) {
            m_document->text()->setModified(false);
            return run();
        }
        if (answer != QMessageBox::Save) return;
        if (!m_path.isEmpty()) return saveThen(run);
        askWhereToSave();
        m_afterSave = run;
    });
    ask(box);
}

void EditorWindow::closeEvent(QCloseEvent* event) {
    m_document->flush();
    if (m_mayClose || !m_document->text()->isModified()) return event->accept();
    event->ignore();
    afterSaving([this] {
        m_mayClose = true;
        close();
    });
}

void EditorWindow::changeEvent(QEvent* event) {
    QMainWindow::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_text)
        m_document->text()->markContentsDirty(0, int(m_document->json().size()));
}

} // namespace lockscope::views
