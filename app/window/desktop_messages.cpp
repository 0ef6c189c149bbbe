// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/desktop_messages.h"

#include <QCoreApplication>
#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>
#include <QThread>
#include <utility>

namespace lockscope::app {

namespace {

constexpr char kService[] = "org.freedesktop.Notifications";
constexpr char kPath[] = "/org/freedesktop/Notifications";
constexpr int kPatience = 5000; // ms; a desktop starts its service when it is first asked
constexpr char kClick[] = "default";

/// The session's bus, over a connection of its own: Qt's usual one is made in the thread that asks for it first.
QString busName() {
    return QStringLiteral("lockscope-messages");
}

QDBusMessage callOf(const char* method) {
    return QDBusMessage::createMethodCall(QLatin1String(kService), QLatin1String(kPath), QLatin1String(kService),
                                          QLatin1String(method));
}

} // namespace

DesktopMessages::DesktopMessages(QObject* parent) : QObject(parent) {
}

void DesktopMessages::show(const QString& title, const QString& text, std::function<void()> failed) {
    if (m_readsMarkup) return send(title, text, std::move(failed));
    connectToBus([this, title, text, failed] {
        if (!QDBusConnection(busName()).isConnected()) {
            QDBusConnection::disconnectFromBus(busName());
            m_asked = false; // the next message tries again
            return failed();
        }
        askForAbilities([this, title, text, failed] { send(title, text, failed); }, failed);
    });
}

void DesktopMessages::connectToBus(std::function<void()> then) {
    // While the other thread asks, Qt lets nobody look at any connection to a bus.
    if (m_asked && m_waiting.empty()) return then();
    m_asked = true;
    m_waiting.push_back(std::move(then));
    if (m_waiting.size() > 1) return;
    // A bus that takes a connection and does not answer holds up whoever asks it: that may not be the window.
    QThread* const thread = QThread::create([] {
        // Qt keeps one that has failed under its name, also if somebody has asked for it who is gone.
        if (QDBusConnection::connectToBus(QDBusConnection::SessionBus, busName()).isConnected()) return;
        QDBusConnection::disconnectFromBus(busName());
        (void)QDBusConnection::connectToBus(QDBusConnection::SessionBus, busName());
    });
    connect(thread, &QThread::finished, thread, &QObject::deleteLater);
    connect(thread, &QThread::finished, this, [this] {
        for (const auto& next : std::exchange(m_waiting, {}))
            next();
    });
    thread->start();
}

void DesktopMessages::askForAbilities(std::function<void()> then, std::function<void()> failed) {
    QDBusConnection bus(busName());
    bus.connect(QLatin1String(kService), QLatin1String(kPath), QLatin1String(kService), QStringLiteral("ActionInvoked"),
                this, SLOT(hearAction(uint, QString)));
    auto* const asked = new QDBusPendingCallWatcher(bus.asyncCall(callOf("GetCapabilities"), kPatience), this);
    connect(asked, &QDBusPendingCallWatcher::finished, this, [this, asked, then, failed] {
        asked->deleteLater();
        const QDBusPendingReply<QStringList> abilities = *asked;
        if (abilities.isError()) return failed();
        m_readsMarkup = abilities.value().contains(QStringLiteral("body-markup"));
        then();
    });
}

void DesktopMessages::send(const QString& title, const QString& text, std::function<void()> failed) {
    QDBusMessage call = callOf("Notify");
    // A lock's name may contain anything: none of it is markup.
    const QString body = *m_readsMarkup ? text.toHtmlEscaped() : text;
    constexpr uint kNew = 0;
    constexpr int kItsOwnTime = -1;
    call << QCoreApplication::applicationName() << kNew << QStringLiteral("lockscope") << title << body
         << QStringList{QLatin1String(kClick), tr("Show")} << QVariantMap() << kItsOwnTime;
    auto* const asked = new QDBusPendingCallWatcher(QDBusConnection(busName()).asyncCall(call, kPatience), this);
    connect(asked, &QDBusPendingCallWatcher::finished, this, [this, asked, failed] {
        asked->deleteLater();
        const QDBusPendingReply<uint> message = *asked;
        if (message.isError()) {
            m_readsMarkup.reset(); // another service may come
            return failed();
        }
        m_shown.insert(message.value());
    });
}

void DesktopMessages::hearAction(uint message, const QString& action) {
    if (m_shown.remove(message) && action == QLatin1String(kClick)) Q_EMIT activated();
}

} // namespace lockscope::app
