// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "editor/edited_document.h"

#include <QDialog>
#include <QMainWindow>
#include <QPointer>

class QHBoxLayout;
class QListWidget;
class QMenu;
class QScrollArea;
class QVBoxLayout;

namespace lockscope::views {

class ObjectForm;
class RunPreview;
class TextPane;

/// A window in which a scenario or a lesson is written: its sections, the form of the chosen one, the text beside it,
/// and the complaints below. Its heirs add what is special about each kind.
class EditorWindow : public QMainWindow {
    Q_OBJECT
public:
    EditedDocument* document() const { return m_document; }
    TextPane* text() const { return m_text; }
    QListWidget* sections() const { return m_sections; }
    /// The form of the section in sight.
    ObjectForm* form() const { return m_form; }
    /// The file that it was read from or saved to; empty: none yet.
    const QString& path() const { return m_path; }
    /// The question about unsaved changes, or about a file, that is open; null: none is.
    QDialog* question() const { return m_question; }
    QAction* action(const QString& id) const { return findChild<QAction*>(id); }

    /// As it stands, to be taken up by another window. Its history stays behind.
    struct Kept {
        QByteArray json;
        QString path;
        QByteArray onDisk; ///< what the file had when it was read or saved
        bool modified = false;
        int section = 0;
    };
    Kept kept();
    void restore(const Kept& kept);
    /// Runs it at once when nothing is unsaved, otherwise after the answer; never if that is to cancel.
    void afterSaving(const std::function<void()>& run);

public Q_SLOTS:
    /// Each asks first whether unsaved changes may go.
    void newDocument();
    void openFile(const QString& path);
    /// A copy of one that there is, with an id of its own; `json`: its text.
    void openCopy(const QByteArray& json);
    /// A new text, not saved yet.
    void openText(const QByteArray& json);
    void askForFile();
    void save();
    void askWhereToSave();
    /// Writes the file; says so, or what went wrong.
    bool saveTo(const QString& path);
    void showSection(int index);
    /// Says a sentence below.
    void tell(const QString& sentence);

Q_SIGNALS:
    /// A file was written, so that lists of such files are old now.
    void saved(QString path);

protected:
    EditorWindow(EditedDocument::Kind kind, QWidget* parent);
    /// A section of the form: its title, and the fields of the document that it shows.
    void addSection(const QString& title, const QStringList& keys);
    /// Commands of the kind; they stand in the menu and in the row of buttons at the top.
    QAction* addCommand(const QString& id, const QString& text, const QString& hint, const QKeySequence& keys,
                        const char* iconName, const std::function<void()>& run);
    /// A command that is on or off, in the menu; it is on at first.
    QAction* addSwitch(const QString& id, const QString& text, const QKeySequence& keys,
                       const std::function<void()>& changed);
    /// A widget below everything, over the whole width; the keyboard comes by there on its way round.
    void addBelow(QWidget* widget);
    /// As above, with the picture of a run below it.
    void addBelow(QWidget* widget, RunPreview* preview);
    QMenu* copiesMenu() const { return m_copies; }
    /// An entry of that menu for a file.
    void offerCopy(const QString& name, const QString& path);
    void closeEvent(QCloseEvent* event) override;
    void changeEvent(QEvent* event) override;
    /// Fills the menu of what there is to copy.
    virtual void fillCopies() = 0;
    /// The folder of the person's own files of this kind.
    virtual QString folder() const = 0;

private:
    void makeMenus();
    void enterForm();
    void refresh();
    void refreshTitle();
    void load(const QByteArray& json, const QString& path);
    /// Saves to the file that there is, after a question where another program has changed it meanwhile; then runs.
    void saveThen(const std::function<void()>& run);
    void ask(QDialog* dialog);

    EditedDocument* m_document;
    QListWidget* m_sections;
    QScrollArea* m_room; ///< around the form
    ObjectForm* m_form = nullptr;
    std::vector<QStringList> m_keys; ///< of each section
    std::map<int, ObjectForm*> m_forms;
    QWidget* m_pages;
    TextPane* m_text;
    QVBoxLayout* m_column;
    QWidget* m_below = nullptr;
    QHBoxLayout* m_commands;
    QMenu *m_copies = nullptr, *m_extra = nullptr;
    QString m_path;
    QByteArray m_onDisk; ///< what that file had when it was read or saved here
    QPointer<QDialog> m_question;
    std::function<void()> m_afterSave; ///< waits for a file name
    bool m_mayClose = false;
};

} // namespace lockscope::views
