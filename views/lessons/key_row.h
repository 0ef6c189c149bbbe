// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "theme/palette.h"

#include <QAbstractButton>

namespace lockscope::views {

/// A big key with what it does, for a presenter and for those who watch.
class KeyButton : public QAbstractButton {
    Q_OBJECT
public:
    /// `role`: the colour of the words.
    KeyButton(const QString& key, const QString& words, Role role, QWidget* parent = nullptr);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;
    void setWords(const QString& words);

protected:
    void paintEvent(QPaintEvent*) override;

private:
    QString m_key;
    Role m_role;
};

/// The row of big keys at the bottom of the presenter's view.
class KeyRow : public QWidget {
    Q_OBJECT
public:
    enum class Key : std::uint8_t { Play, Next, PauseHolder, Heal, Blank };
    explicit KeyRow(QWidget* parent = nullptr);
    /// Another description of what a key does, for as long as it does something else.
    void setWords(Key key, const QString& words);
    KeyButton* button(Key key) const { return m_buttons[std::size_t(key)]; }

Q_SIGNALS:
    void pressed(lockscope::views::KeyRow::Key key);

protected:
    void paintEvent(QPaintEvent*) override;

private:
    std::array<KeyButton*, 5> m_buttons{}; ///< by their Key
};

} // namespace lockscope::views
