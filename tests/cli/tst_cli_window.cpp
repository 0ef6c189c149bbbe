// SPDX-License-Identifier: GPL-3.0-or-later
#include "program.h"

#include <QFile>
#include <QTemporaryDir>

using namespace lockscope::tests;

class TestCliWindow : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void noPasswordStandsAmongTheWindowsWords() {
        QTemporaryDir home;
        QProcessEnvironment environment = plainEnvironment();
        environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
        environment.insert(QStringLiteral("XDG_CONFIG_HOME"), home.path());
        QProcess window;
        window.setProcessEnvironment(environment);
        // Nobody listens there: the window stays, and goes on trying.
        window.start(kProgram, {QStringLiteral("redis://ann:hunter2@127.0.0.1:1")});
        QVERIFY(window.waitForStarted());
        QByteArray words;
        const auto hidden = [&] {
            QFile file(QStringLiteral("/proc/%1/cmdline").arg(window.processId()));
            words = file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
            return words.contains("redis://ann@127.0.0.1:1") && !words.contains("hunter2");
        };
        QTRY_VERIFY2_WITH_TIMEOUT(hidden(), words.constData(), 20'000);
        QCOMPARE(window.state(), QProcess::Running);
        window.kill();
        QVERIFY(window.waitForFinished());
    }
};

QTEST_GUILESS_MAIN(TestCliWindow)
#include "tst_cli_window.moc"
