// SPDX-License-Identifier: GPL-3.0-or-later
#include "own_bus.h"
#include "window/alert_notifier.h"

#include <QDBusConnection>
#include <QDBusMessage>
#include <QSignalSpy>
#include <QTest>

using namespace lockscope;

/// A desktop's service for messages, as the test plays it.
class Desktop : public QObject {
    Q_OBJECT
    Q_CLASSINFO("D-Bus Interface", "org.freedesktop.Notifications")
public:
    QStringList abilities;
    QStringList titles, texts;
    uint last = 0;

public Q_SLOTS:
    QStringList GetCapabilities() { return abilities; }
    uint Notify(const QString&, uint, const QString&, const QString& title, const QString& text, const QStringList&,
                const QVariantMap&, int) {
        titles << title;
        texts << text;
        return ++last;
    }
};

/// Messages about alerts on desktops: by their service, and what is said where there is none.
class TestDesktopMessages : public QObject {
    Q_OBJECT
    test::OwnBus m_bus;
    Desktop m_desktop;
    static constexpr char kName[] = "org.freedesktop.Notifications", kPath[] = "/org/freedesktop/Notifications";

    static inspect::Alert alertAbout(const QByteArray& lock) {
        return {inspect::Alert::State::Raised,
                *inspect::parseAlertRule(QStringLiteral("no-expiry")),
                lock,
                QStringLiteral("Nothing ends “%1”.").arg(QString::fromUtf8(lock)),
                QStringLiteral("Look."),
                {}};
    }
    static QDBusConnection theirs() {
        return QDBusConnection::connectToBus(qEnvironmentVariable("DBUS_SESSION_BUS_ADDRESS"),
                                             QStringLiteral("the desktop"));
    }

private Q_SLOTS:
    void initTestCase() {
        const QString problem = m_bus.start();
        QVERIFY2(problem.isEmpty(), qPrintable(problem));
    }

    void aDesktopWithoutServiceAndTraySaysSo() {
        app::AlertNotifier notifier;
        QSignalSpy unshown(&notifier, &app::AlertNotifier::unshown);
        notifier.tell(alertAbout("a"));
        QTRY_COMPARE(unshown.size(), 1); // the offscreen platform has no tray
    }

    void theServiceShowsThem_data() {
        QTest::addColumn<bool>("markup");
        QTest::newRow("plain text") << false;
        QTest::newRow("markup") << true;
    }
    void theServiceShowsThem() {
        QFETCH(bool, markup);
        m_desktop.abilities = markup ? QStringList{QStringLiteral("body"), QStringLiteral("body-markup")}
                                     : QStringList{QStringLiteral("body")};
        m_desktop.titles.clear();
        m_desktop.texts.clear();
        QDBusConnection bus = theirs();
        QVERIFY(bus.isConnected());
        QVERIFY(bus.registerObject(QLatin1String(kPath), &m_desktop, QDBusConnection::ExportAllSlots));
        QVERIFY(bus.registerService(QLatin1String(kName)));
        app::AlertNotifier notifier;
        QSignalSpy clicked(&notifier, &app::AlertNotifier::activated), unshown(&notifier, &app::AlertNotifier::unshown);
        notifier.tell(alertAbout("<b>orders</b>"));
        QTRY_COMPARE(m_desktop.titles.size(), 1);
        const QString name = markup ? QStringLiteral("&lt;b&gt;orders&lt;/b&gt;") : QStringLiteral("<b>orders</b>");
        QVERIFY2(m_desktop.texts.front().contains(name), qPrintable(m_desktop.texts.front()));
        // A click on it, once; and one on somebody else's message.
        const auto click = [&](uint message) {
            QDBusMessage signal =
                QDBusMessage::createSignal(QLatin1String(kPath), QLatin1String(kName), QStringLiteral("ActionInvoked"));
            signal << message << QStringLiteral("default");
            return bus.send(signal);
        };
        QVERIFY(click(m_desktop.last + 7));
        QVERIFY(click(m_desktop.last));
        QTRY_COMPARE(clicked.size(), 1);
        QCOMPARE(unshown.size(), 0);
        bus.unregisterObject(QLatin1String(kPath));
        QVERIFY(bus.unregisterService(QLatin1String(kName)));
    }
};

QTEST_MAIN(TestDesktopMessages)
#include "tst_desktop_messages.moc"
