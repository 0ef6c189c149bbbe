// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "trace/time.h"

#include <QElapsedTimer>
#include <QEventLoop>
#include <QJsonObject>
#include <QTimer>
#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

namespace lockscope::bench {

/// The times between two turns of this thread's event loop, which has a turn to take every millisecond.
class Turns : public QObject {
public:
    Turns() {
        m_timer.setTimerType(Qt::PreciseTimer);
        connect(&m_timer, &QTimer::timeout, this, [this] {
            m_gaps.push_back(double(m_clock.nsecsElapsed()) / 1e6);
            m_clock.restart();
        });
        m_clock.start();
        m_timer.start(1);
    }
    /// The times until now are of no interest.
    void forget() {
        m_gaps.clear();
        m_clock.restart();
    }
    /// Writes the times since the last call as members of `line` that begin with `phase`; in ms.
    void tell(const QString& phase, QJsonObject& line) {
        std::vector<double> gaps = std::exchange(m_gaps, {});
        if (gaps.empty()) return;
        std::ranges::sort(gaps);
        // By time and not by number: the part of it that was spent in turns longer than a frame.
        constexpr double kFrame = 1000.0 / 60;
        double all = 0, late = 0;
        for (const double gap : gaps) {
            all += gap;
            late += gap > kFrame ? gap - kFrame : 0;
        }
        line[phase + QStringLiteral("_longest_ms")] = gaps.back();
        line[phase + QStringLiteral("_over_a_frame")] =
            qint64(std::ranges::count_if(gaps, [](double gap) { return gap > kFrame; }));
        line[phase + QStringLiteral("_late_share")] = late / all;
    }

private:
    QTimer m_timer;
    QElapsedTimer m_clock;
    std::vector<double> m_gaps;
};

/// Lets the event loop run until that is so, which is asked now and then, or until it has taken too long.
template <typename Until>
void rest(Nanos longest, Until until) {
    QEventLoop loop;
    QTimer look;
    QObject::connect(&look, &QTimer::timeout, &loop, [&] {
        if (until()) loop.quit();
    });
    look.start(50);
    QTimer::singleShot(std::chrono::duration_cast<std::chrono::milliseconds>(longest), &loop, &QEventLoop::quit);
    loop.exec();
}

} // namespace lockscope::bench
