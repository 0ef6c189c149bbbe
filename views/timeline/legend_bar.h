// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "timeline/legend.h"

#include <QAbstractButton>
#include <set>

namespace lockscope::views {

/// One sign of the timeline and the words for it.
class LegendEntry : public QAbstractButton {
    Q_OBJECT
public:
    LegendEntry(LegendSign sign, const QString& words, QWidget* parent = nullptr);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }
    LegendSign sign() const { return m_sign; }

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
    /// Where not all have room, these come before the others.
    void setInSight(std::set<LegendSign> signs);
    /// The signs that have room.
    std::vector<LegendSign> shown() const;

Q_SIGNALS:
    /// The id of a term of the glossary.
    void termAsked(QString id);
    void appeared(); ///< it was hidden before

protected:
    void paintEvent(QPaintEvent*) override;
    void resizeEvent(QResizeEvent*) override;
    void showEvent(QShowEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void place();
    std::vector<LegendEntry*> m_entries;
    std::set<LegendSign> m_inSight;
};

} // namespace lockscope::views
