// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/picture.h"

#include "cli/text.h"
#include "scenario/scenario_file.h"
#include "session/bounds.h"
#include "theme/palette.h"
#include "timeline/animated_webp.h"
#include "timeline/run_movie.h"

namespace lockscope::cli {

namespace {

constexpr int kWidth = 1600;
constexpr int kMostHeight = 8000; ///< of a picture that still opens everywhere; lanes beyond it are left out
constexpr double kScale = 2;      ///< sharp on paper and dense screens

views::RunPicture pictureOf(const trace::LoadedRecording& recording, const Stretch& stretch) {
    verdict::Judge judge(recording.trace, session::boundsFor(recording.meta));
    judge.consume();

    views::RunPicture picture;
    views::TimelinePicture& timeline = picture.timeline;
    timeline.trace = recording.trace;
    timeline.verdict = std::make_shared<const verdict::Verdict>(judge.verdict(recording.meta.finished));
    timeline.from = stretch.from.value_or(Nanos(0));
    timeline.to = std::max(stretch.until.value_or(recording.trace->reached()), timeline.from + Nanos(1));
    timeline.notes.recipe = recording.meta.recipe;
    QStringList title;
    if (const auto scenario = scenario::recordedScenario(recording.meta.scenario)) {
        timeline.notes.tokenCheck = scenario->resource.tokenCheck;
        if (!scenario->id.isEmpty()) title += scenario->id;
    }
    if (!recording.meta.recipe.isEmpty()) title += recording.meta.recipe;
    picture.title = title.join(QStringLiteral(" · "));
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

std::expected<void, QString> paint(const QString& format, const trace::LoadedRecording& recording,
                                   const Stretch& stretch, QIODevice& device) {
    views::Theme::instance().setChoice(views::ThemeChoice::Light); // for paper, whatever the desktop's theme is
    views::RunPicture picture = pictureOf(recording, stretch);
    if (format == QLatin1String("webp")) return animate(std::move(picture), device);
    const QSize size = views::sizeOf(picture, kWidth, kMostHeight);
    if (format == QLatin1String("png")) {
        if (views::imageOf(picture, size, kScale).save(&device, "PNG")) return {};
        return std::unexpected(tr("the picture could not be written: %1").arg(device.errorString()));
    }
    if (views::writeSvg(picture, size, device)) return {};
    return std::unexpected(tr("the drawing could not be written: %1").arg(device.errorString()));
}

} // namespace lockscope::cli
