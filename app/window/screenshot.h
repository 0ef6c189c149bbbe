// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "trace/time.h"

#include <QObject>
#include <QString>
#include <optional>

class QImage;

namespace lockscope::app {

class MainWindow;

/// Takes a picture of the whole window once it shows what it is asked for: used for the README and by tests.
class Screenshot : public QObject {
    Q_OBJECT
public:
    /// At `at`; without one, a little after the first violation, or at the plan's middle when there is none. A
    /// lesson's is taken at `at` or where its step stops, whichever is earlier; that of watched servers shows the
    /// present, after they were watched for so long, or for three seconds.
    Screenshot(MainWindow* window, std::optional<Nanos> at);
    void start();

Q_SIGNALS:
    /// Null when the instant was never reached.
    void taken(const QImage& picture);

private:
    void arrive(Nanos t);
    /// A lesson's step: nothing of what comes after its stop is computed.
    void stopAt(Nanos limit);
    void check();
    /// Takes the picture when nothing moves any more.
    void settle();
    MainWindow* m_window;
    std::optional<Nanos> m_at;
    bool m_settling = false;
};

} // namespace lockscope::app
