// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/session_opener.h"

#include "loader/servers.h"
#include "scenario/scenario_file.h"
#include "session/open_scenario.h"
#include "session/recording_session.h"
#include "session/simulated_session.h"
#include "trace/recording_head.h"

#include <QCoreApplication>
#include <QFileInfo>

namespace lockscope::app {
namespace {

struct Opener {
    Q_DECLARE_TR_FUNCTIONS(Opener)
};

/// All complaints would fill the window: the first ones, and how many more there are.
QString joined(const std::vector<scenario::Problem>& problems) {
    constexpr std::size_t kMost = 3;
    QStringList lines;
    for (std::size_t i = 0; i < std::min(problems.size(), kMost); ++i)
        lines << problems[i].toString();
    if (problems.size() > kMost) lines << Opener::tr("… and %n more problem(s)", "", int(problems.size() - kMost));
    return lines.join(QLatin1Char('\n'));
}

} // namespace

Opened openScenario(const QString& idOrPath, std::optional<std::uint64_t> seed) {
    auto loaded = session::openScenario(idOrPath);
    if (!loaded) return std::unexpected(joined(loaded.error()));
    const std::uint64_t chosen = seed.value_or(loaded->seed.value_or(scenario::kUsualSeed));
    return std::make_unique<session::SimulatedSession>(std::move(*loaded), chosen);
}

Opened openFile(const QString& path) {
    const QFileInfo file(path);
    if (!file.exists())
        return std::unexpected(Opener::tr("%1: there is no such file. Was it moved or renamed?").arg(path));
    if (file.suffix().compare(QLatin1String("json"), Qt::CaseInsensitive) == 0) return openScenario(path);
    if (looksRecorded(path)) {
        if (const auto refused = trace::recordingRefused(path)) return std::unexpected(refused->message);
        return std::make_unique<session::RecordingSession>(path);
    }
    return std::unexpected(
        Opener::tr("%1: not a file that Lockscope knows. It opens recordings (.lockscope) and scenarios (.json).")
            .arg(path));
}

Opened openConnections(const std::vector<session::ConnectionWish>& connections) {
    const auto loaded = servers::load();
    if (!loaded) return std::unexpected(loaded.error());
    // A name of our own: the workload must never queue behind somebody's real lock.
    scenario::Scenario workload;
    workload.lock.name = QStringLiteral("lockscope:demo");
    workload.lock.lease = 5s;
    return (*loaded)->open(connections, std::move(workload));
}

bool looksLikeUrl(const QString& text) {
    return text.contains(QLatin1String("://"));
}

bool looksRecorded(const QString& path) {
    return path.endsWith(QLatin1String(".lockscope"), Qt::CaseInsensitive) || trace::beginsAsARecording(path);
}

std::unique_ptr<QObject> tryConnection(const QString& url,
                                       std::function<void(bool good, const QString& sentence)> done) {
    const auto loaded = servers::load();
    if (loaded) return (*loaded)->tryConnection(url, std::move(done));
    done(false, loaded.error());
    return nullptr;
}

QString complaintAboutUrl(const QString& url) {
    const auto loaded = servers::load();
    return loaded ? (*loaded)->complaintAbout(url) : loaded.error();
}

} // namespace lockscope::app
