// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "editor/edited_document.h"

#include <QWidget>

class QListWidget;
class QListWidgetItem;
class QPlainTextEdit;

namespace lockscope::views {

class SectionCaption;

/// The document's text, with its lines numbered and those marked that the reader complains of; below it the complaints,
/// each with its line. Activating one goes there. Findings of a check stand in the same list.
class TextPane : public QWidget {
    Q_OBJECT
public:
    explicit TextPane(EditedDocument* document, QWidget* parent = nullptr);

    QPlainTextEdit* edit() const { return m_edit; }
    QListWidget* complaints() const { return m_complaints; }
    /// How the document stands, in a sentence.
    QString state() const;
    /// Shows sentences that a check has found, until the text changes; `place`: of each, as a JSON pointer.
    void setFindings(const QStringList& sentences, const QStringList& places, const QString& state);

public Q_SLOTS:
    /// Puts the cursor on the line of a place.
    void goTo(const QString& pointer);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void refresh();
    void goToLine(int line);
    void activate(const QListWidgetItem* item);
    void paintNumbers();

    EditedDocument* m_document;
    QPlainTextEdit* m_edit;
    QWidget* m_numbers; ///< beside the lines
    SectionCaption* m_caption;
    QListWidget* m_complaints;
};

} // namespace lockscope::views
