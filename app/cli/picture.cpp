// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/picture.h"

#include "cli/text.h"
#include "scenario/scenario_file.h"
#include "session/bounds.h"
#include "theme/palette.h"
#include "timeline/animated_webp.h"
#include "timeline/evidence_card.h"
#include "timeline/run_movie.h"
#include "trace/redacted.h"

namespace lockscope::cli {

namespace {

constexpr int kWidth = 1600;
constexpr int kMostHeight = 8000; ///< of a picture that still opens everywhere; lanes beyond it are left out
constexpr int kCardDots = 192;    ///< an inch, of a page as a picture
constexpr double kScale = 2;      ///< sharp on paper and dense screens

/// The servers of a recording in which nothing was simulated and no client was ours; else empty.
QString serversIn(const trace::LoadedRecording& recording) {
    const auto scenario = scenario::recordedScenario(recording.meta.scenario);
    const bool ours = scenario && scenario->workload.clients > 0;
    return ours ? QString() : views::watchedServers(*recording.trace);
}

views::RunPicture pictureOf(const trace::LoadedRecording& recording, Names names, const Stretch& stretch) {
    const trace::RecordingMeta& meta = recording.meta;
    const std::shared_ptr<const trace::Trace> trace = shownTrace(names, recording);
    verdict::Judge judge(trace, session::boundsFor(meta));
    judge.consume();

    views::RunPicture picture;
    views::TimelinePicture& timeline = picture.timeline;
    timeline.trace = trace;
    timeline.verdict = std::make_shared<const verdict::Verdict>(judge.verdict(meta.finished));
    timeline.from = stretch.from.value_or(Nanos(0));
    timeline.to = std::max(stretch.until.value_or(trace->reached()), timeline.from + Nanos(1));
    timeline.notes.recipe = meta.recipe;
    QStringList title;
    if (const auto scenario = scenario::recordedScenario(meta.scenario)) {
        timeline.notes.tokenCheck = scenario->resource.tokenCheck;
        // A scenario's name may be somebody's.
        if (names == Names::Shown && !scenario->id.isEmpty()) title += scenario->id;
    }
    if (const QString servers = serversIn(recording); !servers.isEmpty()) {
        if (names == Names::Shown) title = QStringList(servers);
    } else if (!meta.recipe.isEmpty()) {
        title += meta.recipe;
    }
    picture.title = title.join(QStringLiteral(" · "));
    picture.goesOn = !meta.finished;
    views::tellVerdict(picture);
    return picture;
}

std::expected<void, QString> animate(views::RunPicture picture, QIODevice& device) {
    constexpr int kMovieWidth = 1200, kMovieHeight = 1200; // pixels: it is shown in a page, not printed
    const views::RunMovie movie(std::move(picture), kMovieWidth, kMovieHeight);
    views::AnimatedWebp file(movie.size());
    for (int i = 0; i < movie.frames(); ++i)
        if (auto added = file.add(movie.frame(i), movie.stay(i)); !added) return added;
    const auto bytes = file.finish();
    if (!bytes) return std::unexpected(bytes.error());
    if (device.write(*bytes) == bytes->size()) return {};
    return std::unexpected(tr("the picture could not be written: %1").arg(device.errorString()));
}

} // namespace

std::shared_ptr<const trace::Trace> shownTrace(Names names, const trace::LoadedRecording& recording) {
    if (names == Names::Hidden) return trace::redacted(*recording.trace);
    return recording.trace;
}

std::expected<void, QString> paint(const QString& format, Names names, const trace::LoadedRecording& recording,
                                   const Stretch& stretch, QIODevice& device) {
    views::Theme::instance().setChoice(views::ThemeChoice::Light); // for paper, whatever the desktop's theme is
    views::RunPicture picture = pictureOf(recording, names, stretch);
    if (format == QLatin1String("webp")) return animate(std::move(picture), device);
    const QSize size = views::sizeOf(picture, kWidth, kMostHeight);
    if (format == QLatin1String("png")) {
        if (views::imageOf(picture, size, kScale).save(&device, "PNG")) return {};
        return std::unexpected(tr("the picture could not be written: %1").arg(device.errorString()));
    }
    if (views::writeSvg(picture, size, device)) return {};
    return std::unexpected(tr("the drawing could not be written: %1").arg(device.errorString()));
}

std::expected<void, QString> paintCard(CardForm form, Names names, trace::LoadedRecording recording,
                                       const Stretch& stretch, QIODevice& device) {
    views::Theme::instance().setChoice(views::ThemeChoice::Light); // for paper, whatever the desktop's theme is
    const bool hidden = names == Names::Hidden;
    views::EvidenceCard card;
    const QByteArray digest = recording.trace->digest(); // of what was recorded
    card.run = pictureOf(recording, names, stretch);
    const QString& from = recording.meta.origin;
    const QString origin = from == QLatin1String("simulated") ? tr("simulated")
                           : from == QLatin1String("library") ? tr("a program that uses the library")
                                                              : from;
    if (card.run.title.isEmpty()) card.run.title = hidden ? tr("What was seen") : origin;
    card.facts = views::factsOf(card.run.timeline);
    if (!hidden && !origin.isEmpty()) card.facts.emplace_back(tr("Origin"), origin);
    if (!recording.meta.recipe.isEmpty() && serversIn(recording).isEmpty())
        card.facts.emplace_back(tr("Recipe"), tr("%1, seed %2").arg(recording.meta.recipe).arg(recording.meta.seed));
    card.facts.emplace_back(tr("Names"), hidden ? tr("hidden") : tr("as recorded"));
    card.facts.emplace_back(tr("Digest of the events"), QString::fromLatin1(digest));
    card.facts.emplace_back(tr("Made by"), QStringLiteral("Lockscope " LOCKSCOPE_VERSION));
    const bool written =
        form == CardForm::Pdf ? views::writePdf(card, device) : views::imageOf(card, kCardDots).save(&device, "PNG");
    if (written) return {};
    return std::unexpected(tr("the page could not be written: %1").arg(device.errorString()));
}

} // namespace lockscope::cli
