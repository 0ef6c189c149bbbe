// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "timeline/legend.h"

#include <QAbstractButton>

namespace lockscope::views {

/// One sign of the timeline and the words for it.
class LegendEntry : public QAbstractButton {
    Q_OBJECT
public:
    LegendEntry(LegendSign sign, const QString& words, QWidget* parent = nullptr);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent*) override;

private:
    LegendSign m_sign;
};

/// The timeline's signs in one line, as they are painted there; those for which there is no room are left out, the most
/// needed stand first. A click asks what one means.
class LegendBar : public QWidget {
    Q_OBJECT
public:
    explicit LegendBar(QWidget* parent = nullptr);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    /// The id of a term of the glossary.
    void termAsked(QString id);

protected:
    void paintEvent(QPaintEvent*) override;
    void resizeEvent(QResizeEvent*) override;
    void changeEvent(QEvent* event) override;

private:
    void place();
    std::vector<LegendEntry*> m_entries;
};

} // namespace lockscope::views
