// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QDialog>
#include <functional>

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;

namespace lockscope::views {

/// Asks for a server's address and whether it may be changed. Says while one types what is wrong with the address.
class ConnectDialog : public QDialog {
    Q_OBJECT
public:
    /// Empty = fine; otherwise a sentence with the error and its remedy.
    using Check = std::function<QString(const QString& url)>;

    /// `recent`: earlier addresses to choose from, without passwords.
    ConnectDialog(Check check, const QStringList& recent, QWidget* parent = nullptr);

    void setUrl(const QString& url);
    /// The address, with the names that are wanted as its options match= and ignore=.
    QString url() const;
    bool changesAllowed() const;
    /// The error in the present address; empty = none.
    QString complaint() const;

private:
    void validate();
    Check m_check;
    QComboBox* m_url;
    QLineEdit* m_names; ///< globs with commas between them; "!" in front: not these
    QLabel* m_complaint;
    QCheckBox* m_changes;
    QPushButton* m_connect;
};

} // namespace lockscope::views
