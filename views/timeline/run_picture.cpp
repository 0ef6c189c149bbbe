// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/run_picture.h"

#include "theme/fonts.h"
#include "theme/palette.h"
#include "timeline/compact_svg.h"
#include "timeline/legend.h"

#include <QBuffer>
#include <QGuiApplication>
#include <QScreen>
#include <QSvgGenerator>

namespace lockscope::views {
namespace {

struct RunPictureText {
    Q_DECLARE_TR_FUNCTIONS(RunPicture)
};

constexpr int kPad = 12;
// Stand-ins: QSvgGenerator of Qt 6.4 writes title and description as they are, and a “&” in them is no SVG.
constexpr const char *kTitle = "lockscope:title", *kSentence = "lockscope:sentence";

QFont titleFont() {
    return uiFont(2, QFont::DemiBold);
}

/// How tall a text becomes. Letters that another font lends, as Chinese ones, are taller than this font's.
int heightOf(const QFont& font, const QString& text, int width, Qt::TextFlag flag) {
    const QFontMetrics metrics(font);
    return std::max(metrics.height(), metrics.boundingRect(QRect(0, 0, width, 10'000), flag, text).height());
}

int titleHeight(const RunPicture& picture) {
    return heightOf(titleFont(), picture.title, 10'000, Qt::TextSingleLine);
}

int headHeight(const RunPicture& picture, int width) {
    const QString& sentence = picture.roomFor.isEmpty() ? picture.sentence : picture.roomFor;
    return titleHeight(picture) + heightOf(uiFont(), sentence, width - 2 * kPad, Qt::TextWordWrap) + 2 * kPad;
}

/// The words for a part of a run in which nothing broke: what lies outside of it is not judged by the way.
QString nothingBroke(const RunPicture& picture, Nanos to) {
    const bool toTheEnd = to >= picture.timeline.trace->reached();
    const bool leavesOut = picture.timeline.from > Nanos(0) || (!toTheEnd && !picture.timeline.hidesFuture);
    if (leavesOut) return RunPictureText::tr("No invariant breaks in this stretch of the run");
    if (picture.goesOn || !toTheEnd) return RunPictureText::tr("All invariants hold so far");
    return RunPictureText::tr("All invariants hold");
}

} // namespace

void tellVerdict(RunPicture& picture) {
    const TimelinePicture& timeline = picture.timeline;
    if (!timeline.verdict || !timeline.trace) return;
    const Nanos to = timeline.to > timeline.from ? timeline.to : timeline.trace->reached();
    const auto& all = timeline.verdict->violations;
    const auto touching = [&](Nanos from, Nanos until) {
        return std::ranges::find_if(all, [&, from, until](const verdict::Violation& violation) {
            return violation.to >= from && violation.from <= until;
        });
    };
    auto first = touching(timeline.from, to);
    // A still picture tells of the instant that a person looks at.
    if (const auto at = timeline.playhead; at && !timeline.hidesFuture && *at >= timeline.from && *at <= to)
        if (const auto there = touching(*at, *at); there != all.end()) first = there;
    picture.violated = first != all.end();
    if (picture.violated && timeline.hidesFuture && first->to > to) {
        verdict::Violation byThen = *first; // its explanation would tell how it ends
        byThen.to = to;
        picture.sentence = verdict::headline(byThen, *timeline.trace);
    } else if (picture.violated) {
        picture.sentence = verdict::explain(*first, *timeline.trace).section(u'\n', 0, 0);
    } else if (timeline.verdict->overall() == verdict::Outcome::Unknown) {
        picture.sentence = timeline.trace->ofRealServers()
                               ? RunPictureText::tr("What was seen holds, but not all was seen")
                               : RunPictureText::tr("What can be judged holds, but not all can");
    } else {
        picture.sentence = nothingBroke(picture, to);
    }
}

QSize sizeOf(const RunPicture& picture, int width, int mostHeight) {
    const int frame = headHeight(picture, width) + legendHeight();
    return {width, std::clamp(frame + timelineHeight(picture.timeline), frame + 1, mostHeight)};
}

void paintRun(QPainter& painter, const QSize& size, const RunPicture& picture) {
    paintRun(painter, size, picture, TimelineRenderer(picture.timeline));
}

void paintRun(QPainter& painter, const QSize& size, const RunPicture& picture, const TimelineRenderer& lanes) {
    const int head = headHeight(picture, size.width()), legend = legendHeight();
    painter.fillRect(QRect(0, 0, size.width(), head), color(Role::Surface));
    const QRect room(kPad, kPad, size.width() - 2 * kPad, head - 2 * kPad);
    painter.setFont(titleFont());
    painter.setPen(color(Role::Text));
    painter.drawText(room, Qt::AlignLeft | Qt::AlignTop,
                     painter.fontMetrics().elidedText(picture.title, Qt::ElideRight, room.width()));
    painter.setFont(uiFont());
    painter.setPen(color(picture.violated ? Role::ViolationText : Role::TextDim));
    painter.drawText(room.adjusted(0, titleHeight(picture), 0, 0), Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap,
                     picture.sentence); // whole: the cause stands at its end
    painter.save();
    painter.translate(0, head);
    lanes.paint(painter, QSize(size.width(), size.height() - head - legend), picture.timeline);
    painter.restore();
    paintLegend(painter, QRect(0, size.height() - legend, size.width(), legend), lanes.signs(picture.timeline));
}

QImage imageOf(const RunPicture& picture, const QSize& size, double scale) {
    QImage image((QSizeF(size) * scale).toSize(), QImage::Format_ARGB32_Premultiplied);
    image.setDevicePixelRatio(scale);
    image.fill(color(Role::Surface));
    QPainter painter(&image);
    paintRun(painter, size, picture);
    return image;
}

bool writeSvg(const RunPicture& picture, const QSize& size, QIODevice& device) {
    QBuffer whole;
    QSvgGenerator generator;
    generator.setOutputDevice(&whole);
    generator.setSize(size);
    // Fonts are measured for the screen: with another resolution each text would be smaller than its room.
    generator.setResolution(qRound(QGuiApplication::primaryScreen()->logicalDotsPerInchY()));
    generator.setViewBox(QRect(QPoint(0, 0), size));
    generator.setTitle(QLatin1String(kTitle));
    generator.setDescription(QLatin1String(kSentence));
    QPainter painter;
    if (!painter.begin(&generator)) return false;
    paintRun(painter, size, picture);
    if (!painter.end()) return false;
    QByteArray drawing = compactSvg(whole.data());
    drawing.replace(kTitle, picture.title.toHtmlEscaped().toUtf8());
    drawing.replace(kSentence, picture.sentence.toHtmlEscaped().toUtf8());
    return device.write(drawing) == drawing.size();
}

} // namespace lockscope::views
