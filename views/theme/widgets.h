// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "theme/gauge.h"
#include "theme/palette.h"

#include <QAbstractButton>
#include <QLabel>

namespace lockscope::views {

/// The grid of the window: margins and gaps are multiples of it.
inline constexpr int kGrid = 8;

/// A small grey heading over a group: "WORKLOAD", with a hint in normal letters at the right end. A hint that has no
/// room is whole in the tool tip.
class SectionCaption : public QWidget {
    Q_OBJECT
public:
    explicit SectionCaption(const QString& text, QWidget* parent = nullptr);
    void setText(const QString& text);
    void setHint(const QString& hint);
    QString text() const { return m_text; }
    QString hint() const { return m_hint; }
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent*) override;

private:
    QString m_text, m_hint;
};

/// A rounded chip with a word and, if wanted, a dot: "● held". Click it where setClickable(true).
class Pill : public QAbstractButton {
    Q_OBJECT
public:
    enum class Tone : std::uint8_t { Neutral, Holding, Waiting, Accepted, Violation, Fault };
    explicit Pill(const QString& text = {}, Tone tone = Tone::Neutral, QWidget* parent = nullptr);
    void setTone(Tone tone);
    Tone tone() const { return m_tone; }
    /// A coloured dot before the text; the text stays in the window's text colour.
    void setDot(bool dot);
    void setClickable(bool clickable);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent*) override;

private:
    Tone m_tone;
    bool m_dot = false;
};

/// Fill, text and dot colours of a tone.
struct ToneColors {
    Role fill, text, dot;
};
ToneColors toneColors(Pill::Tone tone);
/// A pill for delegates: centred text in a rounded chip that is as wide as its text, left-aligned in `rect`.
void paintPill(QPainter& painter, const QRect& rect, const QString& text, Pill::Tone tone);
/// How wide paintPill() draws this text.
int pillWidth(const QString& text);

/// A label in TextDim, following the theme.
class DimLabel : public QLabel {
    Q_OBJECT
public:
    explicit DimLabel(const QString& text = {}, QWidget* parent = nullptr);
    /// Another role than TextDim.
    void setRole(Role role);

protected:
    void changeEvent(QEvent* event) override;

private:
    void recolor();
    Role m_role = Role::TextDim;
    bool m_recoloring = false;
};

/// A DimLabel of as many lines as its text needs. QLabel breaks such a text a dozen times to find out how large it is;
/// this one measures it once for each width, and does not break what fits on one line.
class Paragraph : public DimLabel {
    Q_OBJECT
public:
    explicit Paragraph(const QString& text = {}, QWidget* parent = nullptr);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;
    int heightForWidth(int width) const override;

private:
    struct Measured {
        QString text;
        QFont font;
        QSize unbroken; ///< pixels, with no more lines than it was given
        int width = -1, height = 0;
    };
    const Measured& measured() const;
    mutable Measured m_measured;
};

/// A label for a name of any length: it shortens the middle where there is no room, and shows the whole as its tool
/// tip.
class ElidedLabel : public DimLabel {
    Q_OBJECT
public:
    using DimLabel::DimLabel;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

private:
    QString shown() const;
};

/// A one-pixel line.
class HairLine : public QWidget {
    Q_OBJECT
public:
    explicit HairLine(Qt::Orientation orientation, QWidget* parent = nullptr);

protected:
    void paintEvent(QPaintEvent*) override;
};

/// The TTL ring with the time left in its middle and "of 5 s" below.
class TtlRing : public QWidget {
    Q_OBJECT
public:
    explicit TtlRing(QWidget* parent = nullptr);
    void setTtl(const Ttl& ttl, const QString& middle, const QString& below);
    QSize sizeHint() const override { return {92, 92}; }

protected:
    void paintEvent(QPaintEvent*) override;

private:
    Ttl m_ttl;
    QString m_middle, m_below;
};

/// The content of an empty panel: a picture, a sentence about what will be here, and how to get there.
class EmptyState : public QWidget {
    Q_OBJECT
public:
    EmptyState(const char* iconName, const QString& title, const QString& hint, QWidget* parent = nullptr);
    void setTexts(const QString& title, const QString& hint);

private:
    QLabel* m_title;
    QLabel* m_hint;
};

} // namespace lockscope::views
