// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QAbstractButton>
#include <QTextLayout>

namespace lockscope::views {

/// A built-in scenario as something to press: its name, one sentence, and where the failure was reported.
class ScenarioCard : public QAbstractButton {
    Q_OBJECT
public:
    /// `source`: the reports that tell of it; empty: there are none.
    ScenarioCard(const QString& id, const QString& title, const QString& summary, const QString& source = {},
                 QWidget* parent = nullptr);
    QString scenarioId() const { return m_id; }
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;

protected:
    void paintEvent(QPaintEvent*) override;
    void changeEvent(QEvent* event) override;

private:
    QString m_id, m_summary;

    /// The texts, broken into lines for one width: layouts ask often, and shaping text is expensive.
    struct Lines {
        QTextLayout title, summary, source;
        int width = 0, summaryTop = 0, sourceTop = 0, height = 0;
    };
    const Lines& linesFor(int width) const;
    void takeFonts();
    mutable Lines m_lines;
};

} // namespace lockscope::views
