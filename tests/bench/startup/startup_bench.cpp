// SPDX-License-Identifier: GPL-3.0-or-later
// Measures from the start of a process until it says that its window has been painted and takes input, for Lockscope
// and for an empty QMainWindow, by turns, so that whatever else the machine does falls on both. The ratio is the median
// of the ratios of neighbours: a machine that changes its speed on the way slows both of a pair.
#include <QCoreApplication>
#include <QElapsedTimer>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

namespace {

/// Milliseconds until one run has a window, negative when it failed.
double runOnce(const QString& program, const QStringList& arguments, const QString& runtimeFolder) {
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
    environment.insert(QStringLiteral("XDG_RUNTIME_DIR"), runtimeFolder); // else Qt makes one, and says so
    process.setProcessEnvironment(environment);
    process.setProcessChannelMode(QProcess::ForwardedErrorChannel);
    QElapsedTimer clock;
    clock.start();
    process.start(program, arguments);
    QByteArray said;
    while (!said.contains("painted\n")) {
        if (!process.waitForReadyRead(30'000)) return -1;
        said += process.readAllStandardOutput();
    }
    const double ms = double(clock.nsecsElapsed()) / 1e6;
    const bool ended = process.waitForFinished(30'000);
    return ended && process.exitStatus() == QProcess::NormalExit && process.exitCode() == 0 ? ms : -1;
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

double rounded(double ms) {
    return std::round(ms * 100) / 100;
}

} // namespace

int main(int argc, char** argv) {
    const QCoreApplication application(argc, argv);
    const bool json = QCoreApplication::arguments().contains(QLatin1String("--json"));
    const QString app = QStringLiteral(LOCKSCOPE), empty = QStringLiteral(EMPTY_WINDOW);
    const QTemporaryDir runtime;
    constexpr int kRuns = 31;
    std::vector<double> ours, theirs, ratios;
    for (int run = -1; run < kRuns; ++run) {
        const double e = runOnce(empty, {}, runtime.path());
        const double a = runOnce(app, {QStringLiteral("--exit-after-first-paint")}, runtime.path());
        if (e < 0 || a < 0) {
            std::fprintf(stderr, "startup_bench: %s did not come up\n", qPrintable(e < 0 ? empty : app));
            return 1;
        }
        if (run < 0) continue; // the first one warms the disk's cache
        theirs.push_back(e);
        ours.push_back(a);
        ratios.push_back(a / e);
    }
    const double appMs = median(ours), emptyMs = median(theirs), ratio = median(ratios);
    if (json) {
        const QJsonObject result{{QStringLiteral("app_ms"), rounded(appMs)},
                                 {QStringLiteral("empty_ms"), rounded(emptyMs)},
                                 {QStringLiteral("ratio"), rounded(ratio)}};
        std::printf("%s\n", QJsonDocument(result).toJson(QJsonDocument::Compact).constData());
    } else {
        std::printf("Lockscope %.1f ms, empty window %.1f ms: %.2f times, median of %d runs each\n", appMs, emptyMs,
                    ratio, kRuns);
    }
    return 0;
}
