// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "trace/time.h"

#include <QWidget>
#include <optional>

namespace lockscope::views {

class TimelineView;

/// A dashed line across the lanes of a timeline, with a word: here the two runs part. The mouse goes through it.
class DifferenceMark : public QWidget {
    Q_OBJECT
public:
    explicit DifferenceMark(TimelineView* view);
    void setInstant(std::optional<Nanos> at);

protected:
    void paintEvent(QPaintEvent*) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    TimelineView* m_view;
    std::optional<Nanos> m_at;
};

} // namespace lockscope::views
