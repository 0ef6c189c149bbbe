// SPDX-License-Identifier: Apache-2.0
// One of many processes leads, as coroutines on a Qt event loop. lead_on_a_loop [URL [SECONDS]]
#include <QCoreApplication>
#include <QTextStream>
#include <lockscope/lockscope.h>

using namespace std::chrono_literals;
namespace qt = lockscope::qt;

namespace {
QCoro::Task<> work(QString url, std::chrono::seconds patience) {
    auto connection = qt::Connection::make(url);
    if (!connection) qFatal("%s", qPrintable(connection.error().message));
    qt::LeaderElection election(**connection, QStringLiteral("leader"));
    election.onElected([](std::int64_t term) { QTextStream(stdout) << "leads, term " << qlonglong(term) << "\n"; });
    election.onDeposed([](const QString& reason) { QTextStream(stdout) << "leads no longer. " << reason << "\n"; });
    const auto begun = election.campaign();
    if (!begun) qFatal("%s", qPrintable(begun.error().message));
    const auto elected = co_await election.waitUntilLeader(patience);
    const bool leads = elected && *elected; // its work would begin here, and end with election.leadership()
    co_await election.resign();
    QCoreApplication::exit(leads ? 0 : 1);
}
} // namespace

int main(int argc, char** argv) {
    const QCoreApplication application(argc, argv);
    const QString url = argc > 1 ? QString::fromUtf8(argv[1]) : QStringLiteral("redis://127.0.0.1");
    const std::chrono::seconds patience(argc > 2 ? QByteArray(argv[2]).toInt() : 60);
    QMetaObject::invokeMethod(
        qApp, [url, patience] { work(url, patience); }, Qt::QueuedConnection);
    return QCoreApplication::exec();
}
