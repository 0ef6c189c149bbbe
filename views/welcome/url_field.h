// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QLineEdit>

namespace lockscope::views {

/// A field for a server's address, read letter by letter. Dots cover the letters of a password in it.
class UrlField : public QLineEdit {
    Q_OBJECT
public:
    explicit UrlField(QWidget* parent = nullptr);
    /// The text on the screen: a dot replaces each letter of a secret.
    QString shown() const;

protected:
    void paintEvent(QPaintEvent* event) override;
};

} // namespace lockscope::views
