// SPDX-License-Identifier: GPL-3.0-or-later
#include "theme/icons.h"

#include <QFile>
#include <QIconEngine>
#include <QPainter>
#include <QPixmapCache>
#include <QSvgRenderer>

namespace lockscope::views {
namespace {

QByteArray drawing(const QByteArray& name) {
    QFile file(QStringLiteral(":/icons/") + QString::fromLatin1(name) + QStringLiteral(".svg"));
    if (!file.open(QIODevice::ReadOnly)) {
        qWarning("no icon named %s", name.constData());
        return {};
    }
    return file.readAll();
}

/// The picture in one colour; drawn once per (name, colour, size) and kept in Qt's pixmap cache.
QPixmap tinted(const QByteArray& name, const QColor& tint, QSize pixels) {
    const QString key = QStringLiteral("lockscope-icon:%1:%2:%3x%4")
                            .arg(QString::fromLatin1(name), tint.name(QColor::HexArgb))
                            .arg(pixels.width())
                            .arg(pixels.height());
    QPixmap pixmap;
    if (QPixmapCache::find(key, &pixmap)) return pixmap;
    pixmap = QPixmap(pixels);
    pixmap.fill(Qt::transparent);
    QByteArray svg = drawing(name);
    svg.replace("currentColor", tint.name().toLatin1());
    QSvgRenderer renderer(svg);
    QPainter painter(&pixmap);
    if (renderer.isValid()) renderer.render(&painter, QRectF(QPointF(), QSizeF(pixels)));
    painter.end();
    QPixmapCache::insert(key, pixmap);
    return pixmap;
}

class SymbolicEngine : public QIconEngine {
public:
    SymbolicEngine(QByteArray name, Role role) : m_name(std::move(name)), m_role(role) {}

    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State) override {
        const double ratio = painter->device() ? painter->device()->devicePixelRatioF() : 1;
        QPixmap pixmap = tinted(m_name, colorFor(mode), (QSizeF(rect.size()) * ratio).toSize());
        pixmap.setDevicePixelRatio(ratio);
        painter->drawPixmap(rect.topLeft(), pixmap);
    }
    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State) override {
        return tinted(m_name, colorFor(mode), size);
    }
    QPixmap scaledPixmap(const QSize& size, QIcon::Mode mode, QIcon::State, qreal scale) override {
        QPixmap p = tinted(m_name, colorFor(mode), size);
        p.setDevicePixelRatio(scale);
        return p;
    }
    QIconEngine* clone() const override { return new SymbolicEngine(m_name, m_role); }
    QString key() const override { return QStringLiteral("lockscope-symbolic"); }
    bool isNull() override { return false; }

private:
    QColor colorFor(QIcon::Mode mode) const { return color(mode == QIcon::Disabled ? Role::TextFaint : m_role); }
    QByteArray m_name;
    Role m_role;
};

} // namespace

QIcon icon(const char* name, Role role) {
    return QIcon(new SymbolicEngine(name, role));
}

void paintIcon(QPainter& painter, const QRectF& rect, const char* name, Role role) {
    const double ratio = painter.device() ? painter.device()->devicePixelRatioF() : 1;
    QPixmap pixmap = tinted(name, color(role), (rect.size() * ratio).toSize());
    pixmap.setDevicePixelRatio(ratio);
    painter.drawPixmap(rect.topLeft(), pixmap);
}

} // namespace lockscope::views
