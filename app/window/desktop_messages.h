// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <QSet>
#include <functional>
#include <optional>
#include <vector>

namespace lockscope::app {

/// Shows messages by the desktop's own service for them (org.freedesktop.Notifications on the session's bus), which
/// most desktops have that show no icons of programs.
class DesktopMessages : public QObject {
    Q_OBJECT
public:
    explicit DesktopMessages(QObject* parent = nullptr);

    /// Shows a message. `failed` is called later if there is no such service, or it did not take the message.
    void show(const QString& title, const QString& text, std::function<void()> failed);

Q_SIGNALS:
    /// The user clicked on a message of ours.
    void activated();

private Q_SLOTS:
    void hearAction(uint message, const QString& action);

private:
    /// Calls `then` once the session's bus has taken or refused a connection, which another thread asks it for.
    void connectToBus(std::function<void()> then);
    void askForAbilities(std::function<void()> then, std::function<void()> failed);
    void send(const QString& title, const QString& text, std::function<void()> failed);
    std::optional<bool> m_readsMarkup;            ///< the service takes a text for HTML; missing: it was not asked
    bool m_asked = false;                         ///< the bus was asked for a connection
    std::vector<std::function<void()>> m_waiting; ///< for its answer
    QSet<uint> m_shown;
};

} // namespace lockscope::app
