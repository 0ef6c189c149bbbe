// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/paint_kit.h"

#include <QImage>
#include <QPaintEngine>
#include <cmath>

namespace lockscope::views {
namespace {

/// Rounds to the nearest; for what is well within ±2^20. The library's functions for it are calls, by the thousand.
int nearest(double value) {
    constexpr int shift = 1 << 20;
    return int(value + (shift + 0.5)) - shift;
}

/// A pixel under a translucent one; both premultiplied.
QRgb blended(QRgb over, QRgb under) {
    const std::uint32_t rest = 255 - qAlpha(over);
    // Two channels at a time, each divided by 255 with rounding.
    const auto scaled = [rest](std::uint32_t pair) {
        pair *= rest;
        return ((pair + ((pair >> 8) & 0xff00ffu) + 0x800080u) >> 8) & 0xff00ffu;
    };
    return over + (scaled(under & 0xff00ffu) | scaled((under >> 8) & 0xff00ffu) << 8);
}

} // namespace

/// The pixels of a picture in memory that a painter draws into, as far as its clip allows. Thousands of columns are
/// written there by hand: calls and blending would cost many times what the pixels do.
class BoxBatch::Pixels {
public:
    explicit Pixels(QPainter& painter) {
        QPaintDevice* device = painter.device();
        if (painter.paintEngine()->type() != QPaintEngine::Raster || device->devType() != QInternal::Image) return;
        auto* image = static_cast<QImage*>(device);
        const QTransform to = painter.deviceTransform();
        const bool known =
            image->format() == QImage::Format_RGB32 || image->format() == QImage::Format_ARGB32_Premultiplied;
        // A picture shared with somebody else would be copied on access, away from under the painter.
        if (!known || !image->isDetached() || to.type() > QTransform::TxScale || to.m11() <= 0 || to.m22() <= 0 ||
            painter.opacity() < 1 || painter.compositionMode() != QPainter::CompositionMode_SourceOver)
            return;
        if (painter.hasClipping() && painter.clipRegion().rectCount() > 1) return;
        m_clip = image->rect();
        if (painter.hasClipping()) m_clip &= to.mapRect(painter.clipBoundingRect()).toRect();
        m_scaleX = to.m11();
        m_scaleY = to.m22();
        m_dx = to.dx();
        m_dy = to.dy();
        m_bits = reinterpret_cast<QRgb*>(image->bits());
        m_stride = image->bytesPerLine() / qsizetype(sizeof(QRgb));
    }
    bool known() const { return m_bits; }

    /// One layer: where two rectangles in a row are the same, one is drawn.
    void fill(const std::vector<QRectF>& rects, const QColor& color) {
        const QRgb pixel = qPremultiply(color.rgba());
        const QRectF* last = nullptr;
        for (const QRectF& rect : rects) {
            if (color.alpha() == 255)
                fill(rect, [pixel](QRgb) { return pixel; });
            else if (!last || rect != *last)
                fill(rect, [pixel](QRgb under) { return blended(pixel, under); });
            last = &rect;
        }
    }

private:
    template <typename Mix>
    void fill(const QRectF& rect, Mix&& mix) {
        const int left = std::max(m_clip.left(), nearest(rect.left() * m_scaleX + m_dx));
        const int right = std::min(m_clip.right() + 1, nearest(rect.right() * m_scaleX + m_dx));
        const int top = std::max(m_clip.top(), nearest(rect.top() * m_scaleY + m_dy));
        const int bottom = std::min(m_clip.bottom() + 1, nearest(rect.bottom() * m_scaleY + m_dy));
        QRgb* row = m_bits + top * m_stride;
        for (int y = top; y < bottom; ++y, row += m_stride)
            for (int x = left; x < right; ++x)
                row[x] = mix(row[x]);
    }

    QRgb* m_bits = nullptr;
    qsizetype m_stride = 0;
    QRect m_clip;
    double m_scaleX = 1, m_scaleY = 1, m_dx = 0, m_dy = 0;
};

void BoxBatch::paint(QPainter& painter, const QColor& fill) const {
    paintLayers(painter, {{this, fill}});
}

void BoxBatch::paintLayers(QPainter& painter, std::initializer_list<std::pair<const BoxBatch*, QColor>> layers) {
    constexpr std::size_t many = 64;
    std::size_t count = 0;
    for (const auto& [batch, fill] : layers)
        count += batch->m_rects.size();
    if (count > many) {
        if (Pixels pixels(painter); pixels.known()) {
            for (const auto& [batch, fill] : layers)
                pixels.fill(batch->m_rects, fill);
            return;
        }
    }
    // One by one on purpose: filling with a colour takes the rasterizer's shortest way, drawRects() does not.
    for (const auto& [batch, fill] : layers)
        for (const QRectF& rect : batch->m_rects)
            painter.fillRect(rect, fill);
}

} // namespace lockscope::views
