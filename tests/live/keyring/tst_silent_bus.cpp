// SPDX-License-Identifier: GPL-3.0-or-later
// A session's bus that takes connections and says nothing. A program of its own: whoever was asked for a bus once keeps
// its address.
#include "window/desktop_messages.h"

#include <QElapsedTimer>
#include <QLocalServer>
#include <QLocalSocket>
#include <QTemporaryDir>
#include <QTest>

using namespace lockscope;

class TestSilentBus : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void itHoldsNobodyUp() {
        QTemporaryDir folder;
        QLocalServer silent;
        QVERIFY(silent.listen(folder.filePath(QStringLiteral("bus"))));
        qputenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=" + silent.fullServerName().toUtf8());
        int failures = 0;
        const auto failed = [&failures] { ++failures; };
        QElapsedTimer timer;
        timer.start();
        {
            app::DesktopMessages messages;
            messages.show(QStringLiteral("orders"), QStringLiteral("held for long"), failed);
            QTRY_VERIFY(silent.hasPendingConnections()); // it is asked, and this thread goes on
            messages.show(QStringLiteral("orders"), QStringLiteral("held for longer"), failed);
        }
        QCOMPARE(failures, 0); // and nobody hears of a window that is gone
        QVERIFY2(timer.elapsed() < 20'000, qPrintable(QString::number(timer.elapsed())));
        const std::unique_ptr<QLocalSocket> asked(silent.nextPendingConnection());
        silent.close();
        asked->abort(); // it is over
        app::DesktopMessages messages;
        messages.show(QStringLiteral("orders"), QStringLiteral("held for long"), failed);
        QTRY_COMPARE(failures, 1);
        messages.show(QStringLiteral("orders"), QStringLiteral("held for long"), failed); // asks anew
        QTRY_COMPARE(failures, 2);
    }
};

QTEST_GUILESS_MAIN(TestSilentBus)
#include "tst_silent_bus.moc"
