// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/svg_clip.h"

#include <QPaintEngine>
#include <QPainter>

namespace lockscope::views {
namespace {

void mark(QPainter& painter, const QRect& rect, QByteArrayView colour) {
    if (painter.paintEngine() && painter.paintEngine()->type() == QPaintEngine::SVG)
        painter.fillRect(rect, QColor(QString::fromLatin1(colour)));
}

} // namespace

void beginClip(QPainter& painter, const QRect& rect) {
    painter.setClipRect(rect);
    mark(painter, rect, kClipBegins);
}

void endClip(QPainter& painter) {
    mark(painter, QRect(0, 0, 1, 1), kClipEnds);
}

} // namespace lockscope::views
