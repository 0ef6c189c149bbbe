// SPDX-License-Identifier: Apache-2.0
// Coroutines on a Qt event loop: nothing blocks, no thread is needed. event_loop [URL]
#include <QCoreApplication>
#include <QTextStream>
#include <lockscope/lockscope.h>

using namespace lockscope;

namespace {
QCoro::Task<> work(Connection& connection) {
    int status = 1;
    const auto opened = co_await connection.open();
    DistributedMutex mutex(connection, "orders");
    if (opened) {
        auto guard = co_await mutex.tryLockFor(5s);
        if (guard && *guard) {
            QTextStream(stdout) << "held for at least " << guard->remaining() / 1s << " s more\n";
            const auto left = co_await guard->unlock();
            status = left ? 0 : 2;
        }
    }
    QCoreApplication::exit(status);
}
} // namespace

int main(int argc, char** argv) {
    const QCoreApplication application(argc, argv);
    const QString text = argc > 1 ? QString::fromUtf8(argv[1]) : QStringLiteral("redis://127.0.0.1");
    const auto url = parseConnectionUrl(text);
    if (!url) qFatal("%s", qPrintable(url.error()));
    EventLoopRuntime runtime;
    const std::unique_ptr<Connection> connection = makeConnection(runtime, *url);
    runtime.spawn([&] { return work(*connection); });
    return QCoreApplication::exec();
}
