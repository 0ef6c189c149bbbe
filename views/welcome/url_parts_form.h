// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "welcome/url_parts.h"

#include <QWidget>
#include <vector>

class QCheckBox;
class QGridLayout;
class QLabel;
class QLineEdit;
class QToolButton;

namespace lockscope::views {

/// The parts of an address in a field each. Parts that its kind of server does not have cannot be filled in.
class UrlPartsForm : public QWidget {
    Q_OBJECT
public:
    explicit UrlPartsForm(QWidget* parent = nullptr);

    /// Shows the parts of an address. Does not emit edited().
    void setUrl(const QString& url);
    /// The address of what the fields have.
    QString url() const;

    /// Puts the cursor where the password is typed.
    void focusPassword();

Q_SIGNALS:
    /// The user has changed a part.
    void edited();

private:
    QLineEdit* addField(QGridLayout* grid, int row, int column, int columns, const QString& label, const QString& name);
    void addChooser(QGridLayout* grid, QLineEdit* field);
    void enableWhatApplies();

    UrlParts m_parts; ///< with what has no field
    QLineEdit *m_servers, *m_user, *m_password, *m_behind, *m_authority, *m_certificate, *m_key;
    QLabel* m_behindLabel = nullptr;
    QCheckBox* m_tls;
    std::vector<QToolButton*> m_choosers; ///< of the files
};

} // namespace lockscope::views
