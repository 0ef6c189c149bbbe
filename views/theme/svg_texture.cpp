// SPDX-License-Identifier: GPL-3.0-or-later
#include "theme/svg_texture.h"

#include <QBuffer>
#include <QImage>
#include <QPaintEngine>
#include <QPainter>
#include <vector>

namespace lockscope::views {
namespace {

/// The textures of this run of the program: there are as many as a theme has, at each scale.
std::vector<QImage>& textures() {
    static std::vector<QImage> all;
    return all;
}

/// No role has this colour.
QColor standIn(std::size_t texture) {
    return {1, 2, int(texture)};
}

QByteArray patternOf(std::size_t texture, const QByteArray& id) {
    const QImage& image = textures()[texture];
    QByteArray png;
    QBuffer buffer(&png);
    buffer.open(QIODevice::WriteOnly);
    image.save(&buffer, "PNG");
    const QSizeF size = QSizeF(image.size()) / image.devicePixelRatio();
    const QByteArray wide =
        "width=\"" + QByteArray::number(size.width()) + "\" height=\"" + QByteArray::number(size.height()) + '"';
    return "<pattern id=\"" + id + "\" patternUnits=\"userSpaceOnUse\" " + wide + "><image " + wide +
           " xlink:href=\"data:image/png;base64," + png.toBase64() + "\"/></pattern>\n";
}

} // namespace

QBrush textureFor(const QPainter& painter, const QBrush& texture) {
    if (texture.style() != Qt::TexturePattern || !painter.paintEngine() ||
        painter.paintEngine()->type() != QPaintEngine::SVG)
        return texture;
    constexpr std::size_t kMost = 255;
    const QImage image = texture.textureImage();
    std::vector<QImage>& all = textures();
    const auto same = [&image](const QImage& one) {
        return one.devicePixelRatio() == image.devicePixelRatio() && one == image;
    };
    const auto known = std::ranges::find_if(all, same);
    const auto index = std::size_t(known - all.begin());
    if (known == all.end()) {
        if (index > kMost) return texture;
        all.push_back(image);
    }
    return standIn(index);
}

QByteArray withTextures(QByteArray svg) {
    QByteArray patterns;
    for (std::size_t i = 0; i < textures().size(); ++i) {
        const QByteArray painted = "fill=\"" + standIn(i).name().toLatin1() + '"';
        if (!svg.contains(painted)) continue;
        const QByteArray id = "texture-" + QByteArray::number(qsizetype(i));
        svg.replace(painted, "fill=\"url(#" + id + ")\"");
        patterns += patternOf(i, id);
    }
    const qsizetype first = svg.indexOf("<g ");
    return patterns.isEmpty() || first < 0 ? svg : svg.insert(first, "<defs>\n" + patterns + "</defs>\n");
}

} // namespace lockscope::views
