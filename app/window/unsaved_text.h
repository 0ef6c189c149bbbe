// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "editor/editor_window.h"
#include "runtime/background.h"

#include <optional>

namespace lockscope::app {

/// The unsaved text of an editor, kept on disk for the case that the program ends before it is saved: at the end of
/// a desktop session, or by a crash. One file for each program that runs and each kind of editor.
class UnsavedText {
public:
    /// `kind`: "scenario"; a part of the file's name.
    explicit UnsavedText(const QString& kind);
    /// Waits until what was begun is written.
    ~UnsavedText();

    /// Keeps the unsaved text of an editor as it is now; forgets what was kept when nothing is unsaved, or without an
    /// editor. Writes on a thread of its own; calls `failed` when that is not possible.
    void keep(views::EditorWindow* editor, const std::function<void()>& failed);
    /// Nothing is kept any more.
    void forget();
    /// Whether a program that ended has left such a text.
    bool isLeft() const { return !leftFile().isEmpty(); }
    /// That text, which from now on is this program's to keep.
    std::optional<views::EditorWindow::Kept> takeLeft();

private:
    QString leftFile() const;

    QString m_kind, m_path;
    QByteArray m_written; ///< the text that is in the file, or on its way there; null: no file
    Background m_thread{"unsaved"};
};

} // namespace lockscope::app
