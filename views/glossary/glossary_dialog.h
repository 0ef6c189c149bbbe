// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "lesson/glossary.h"

#include <QDialog>

class QLabel;
class QLineEdit;
class QListWidget;
class QPushButton;

namespace lockscope::views {

class Pill;

/// "What is this?": every term with one sentence, found by typing, and the way to the lesson that shows it. It stays
/// open beside the window while one looks at the thing that it explains.
class GlossaryDialog : public QDialog {
    Q_OBJECT
public:
    explicit GlossaryDialog(const QString& language, QWidget* parent = nullptr);

    /// Shows that term, with all terms in the list; an unknown id, or an empty one, shows the first.
    void showTerm(const QString& id);
    /// The lesson that one is in: no button leads there.
    void setOpenLesson(const QString& id);
    QString shownTerm() const;
    QLineEdit* field() const { return m_field; }
    QListWidget* list() const { return m_list; }
    QPushButton* lessonButton() const { return m_lesson; }

Q_SIGNALS:
    void lessonWanted(QString id);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void refill();
    void showCurrent();

    QString m_language, m_openLesson;
    QLineEdit* m_field;
    QListWidget* m_list;
    QLabel* m_name;
    Pill* m_kind;
    QLabel* m_sentence;
    QPushButton* m_lesson;
};

} // namespace lockscope::views
