// SPDX-License-Identifier: GPL-3.0-or-later
// How long the window's thread is busy at a time while it watches a big Redis: during the first look at every key,
// while nothing happens, and while locks are renewed. Longer than a frame, and the window stutters. The server is one
// of our own; run it with QT_QPA_PLATFORM=offscreen where there is no screen.
#include "bench_program.h"
#include "big_redis.h"
#include "first_look.h"
#include "runtime/event_loop_runtime.h"
#include "sandbox/redis_server.h"
#include "turns.h"
#include "window/main_window.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QProcess>
#include <QTemporaryDir>

using namespace lockscope;
using namespace lockscope::bench;

int main(int argc, char** argv) {
    QApplication application(argc, argv);
    const Arguments arguments{{"keys", "200000"}, {"locks", "20000"}, {"secs", "10"}, {"limit", "600"}};
    const int locks = arguments.number("locks");
    const Nanos phase = std::chrono::seconds(arguments.number("secs"));

    EventLoopRuntime runtime;
    sandbox::RedisServer server(runtime);
    if (!started(QCoro::waitFor(server.start()))) return kFailed;
    {
        redis::RedisDriver client(runtime, *parseConnectionUrl(server.url()));
        if (!fill(client, arguments.number("keys"), locks)) return kFailed;
    }
    const QTemporaryDir folder;
    app::Settings settings{folder.filePath(QStringLiteral("settings.ini"))};
    app::MainWindow window(&settings);
    window.resize(1600, 1000);
    window.show();
    window.openUrl(server.url(), false);
    const session::Session& session = *window.context()->session();

    QJsonObject line{{QStringLiteral("name"), QStringLiteral("live-window")}, {QStringLiteral("locks"), locks}};
    Turns turns;
    QElapsedTimer time;
    time.start();
    bool began = false; // before it is connected it has nothing to look at
    rest(std::chrono::seconds(arguments.number("limit")), [&] {
        began = began || session.health().text.contains(QStringLiteral("looked at"));
        return began && lookedAtAll(session);
    });
    line[QStringLiteral("first_look_s")] = double(time.elapsed()) / 1000;
    line[QStringLiteral("whole")] = lookedAtAll(session);
    turns.tell(QStringLiteral("first_look"), line);
    rest(phase, [] { return false; });
    turns.tell(QStringLiteral("still"), line);

    const QString renew =
        QStringLiteral("for i = 1, 5 do redis.call('PEXPIRE', 'svc:' .. math.random(1, ARGV[1]), 3600000 + "
                       "math.random(1, 1000000)) end");
    QProcess others;
    others.start(QStringLiteral("redis-cli"),
                 {QStringLiteral("-p"), QString::number(server.port()), QStringLiteral("-r"), QStringLiteral("1000000"),
                  QStringLiteral("-i"), QStringLiteral("0.01"), QStringLiteral("EVAL"), renew, QStringLiteral("0"),
                  QString::number(locks)});
    others.setStandardOutputFile(QProcess::nullDevice());
    const bool renews = others.waitForStarted();
    const std::size_t rows = session.trace()->size();
    rest(phase, [] { return false; });
    turns.tell(QStringLiteral("renewals"), line);
    line[QStringLiteral("renewals_told")] = qint64(session.trace()->size() - rows);
    others.kill();
    others.waitForFinished();
    printLine(line);
    return renews && line[QStringLiteral("whole")].toBool() ? 0 : kFailed;
}
