// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/picture.h"

#include "cli/text.h"
#include "scenario/scenario_file.h"
#include "session/bounds.h"
#include "theme/palette.h"
#include "timeline/render_timeline.h"

#include <QSvgGenerator>

namespace lockscope::cli {

namespace {

constexpr int kWidth = 1600;
constexpr int kMostHeight = 8000; ///< of a picture that still opens everywhere; lanes beyond it are left out
constexpr double kScale = 2;      ///< sharp on paper and dense screens

views::TimelinePicture pictureOf(const trace::LoadedRecording& recording) {
    verdict::Judge judge(recording.trace, session::boundsFor(recording.meta));
    judge.consume();

    views::TimelinePicture picture;
    picture.trace = recording.trace;
    picture.verdict = std::make_shared<const verdict::Verdict>(judge.verdict(recording.meta.finished));
    picture.to = recording.trace->reached();
    picture.notes.recipe = recording.meta.recipe;
    if (const auto scenario = scenario::parseScenario(recording.meta.scenario, QString())) {
        picture.notes.tokenCheck = scenario->resource.tokenCheck;
    }
    return picture;
}

} // namespace

std::expected<void, QString> paint(const QString& format, const trace::LoadedRecording& recording, QIODevice& device) {
    views::Theme::instance().setChoice(views::ThemeChoice::Light); // for paper, whatever the desktop's theme is
    const views::TimelinePicture picture = pictureOf(recording);
    const QSize size(kWidth, std::clamp(views::timelineHeight(picture), 1, kMostHeight));
    if (format == QLatin1String("png")) {
        if (views::renderTimelineImage(size, kScale, picture).save(&device, "PNG")) return {};
        return std::unexpected(tr("the picture could not be written: %1").arg(device.errorString()));
    }
    QSvgGenerator generator;
    generator.setOutputDevice(&device);
    generator.setSize(size);
    generator.setViewBox(QRect(QPoint(0, 0), size));
    generator.setTitle(QStringLiteral("Lockscope"));
    QPainter painter;
    if (!painter.begin(&generator))
        return std::unexpected(tr("the drawing could not be written: %1").arg(device.errorString()));
    views::renderTimeline(painter, size, picture);
    painter.end();
    return {};
}

} // namespace lockscope::cli
