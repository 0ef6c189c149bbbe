// SPDX-License-Identifier: Apache-2.0
// Coroutines on a Qt event loop: nothing blocks, no thread is needed. event_loop [URL]
#include <QCoreApplication>
#include <QTextStream>
#include <lockscope/lockscope.h>

using namespace std::chrono_literals;

namespace {
QCoro::Task<> work(QString url) {
    int status = 1;
    auto connection = lockscope::qt::Connection::make(url);
    if (!connection) qFatal("%s", qPrintable(connection.error().message));
    const auto opened = co_await (*connection)->open();
    lockscope::qt::Mutex mutex(**connection, QStringLiteral("orders"));
    if (opened) {
        auto hold = co_await mutex.tryLockFor(5s);
        if (hold && *hold) {
            QTextStream(stdout) << "held for at least " << qlonglong(hold->remaining() / 1s) << " s more\n";
            const auto left = co_await hold->unlock();
            status = left ? 0 : 2;
        }
    }
    QCoreApplication::exit(status);
}
} // namespace

int main(int argc, char** argv) {
    const QCoreApplication application(argc, argv);
    const QString url = argc > 1 ? QString::fromUtf8(argv[1]) : QStringLiteral("redis://127.0.0.1");
    QMetaObject::invokeMethod(
        qApp, [url] { work(url); }, Qt::QueuedConnection);
    return QCoreApplication::exec();
}
