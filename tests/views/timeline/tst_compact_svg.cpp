// SPDX-License-Identifier: GPL-3.0-or-later
#include "theme/fonts.h"
#include "timeline/compact_svg.h"
#include "timeline/run_picture.h"
#include "trace/trace.h"

#include <QBuffer>
#include <QPainter>
#include <QPainterPath>
#include <QSvgGenerator>
#include <QSvgRenderer>
#include <QTest>
#include <QXmlStreamReader>

using namespace lockscope::views;

namespace {

constexpr QSize kSize(400, 300);

QByteArray drawn(const std::function<void(QPainter&)>& draw) {
    QBuffer buffer;
    QSvgGenerator generator;
    generator.setOutputDevice(&buffer);
    generator.setSize(kSize);
    generator.setViewBox(QRect(QPoint(), kSize));
    QPainter painter(&generator);
    draw(painter);
    painter.end();
    return buffer.data();
}

QImage shown(const QByteArray& svg) {
    QSvgRenderer renderer(svg);
    QImage image(kSize, QImage::Format_ARGB32_Premultiplied);
    image.fill(Qt::white);
    QPainter painter(&image);
    renderer.render(&painter);
    return renderer.isValid() ? image : QImage();
}

/// Marks as a timeline has them: many alike, each with its pen, brush and place.
void drawMarks(QPainter& painter) {
    painter.setFont(QFont(QStringLiteral("Inter"), 11));
    for (int lane = 0; lane < 6; ++lane) {
        painter.save();
        painter.translate(5, 40 * lane);
        for (int i = 0; i < 40; ++i) {
            const bool odd = i % 7 == 0;
            painter.setPen(Qt::NoPen);
            painter.setBrush(QColor(odd ? QStringLiteral("#a84700") : QStringLiteral("#2563eb")));
            painter.drawRect(QRectF(i * 9.5, 4, odd ? 3 : 8, 12));
            painter.setPen(QPen(QColor(10, 20, 30, odd ? 255 : 90), odd ? 2 : 1, odd ? Qt::DashLine : Qt::SolidLine));
            painter.drawLine(QPointF(i * 9.5, 18), QPointF(i * 9.5 + 6, 24));
        }
        painter.setPen(Qt::black);
        painter.drawText(QPointF(10, 34), QStringLiteral("</g> & <g fill=\"none\"> %1").arg(lane));
        painter.setOpacity(0.5);
        QPainterPath path;
        path.addEllipse(QPointF(200, 20), 12, 8);
        painter.drawPath(path);
        painter.restore();
    }
    QImage image(16, 16, QImage::Format_ARGB32);
    image.fill(Qt::green);
    painter.rotate(10);
    painter.drawImage(QRectF(300, 200, 30, 30), image);
}

} // namespace

class TestCompactSvg : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void thePictureIsTheSame() {
        const QByteArray whole = drawn(drawMarks), compact = compactSvg(whole);
        QVERIFY2(compact.size() * 3 < whole.size() * 2,
                 qPrintable(QStringLiteral("%1 of %2").arg(compact.size()).arg(whole.size())));
        const QImage before = shown(whole), after = shown(compact);
        QVERIFY(!before.isNull() && !after.isNull());
        QVERIFY(before == after);
        QVERIFY(compact.contains("&lt;/g>") || compact.contains("&lt;/g&gt;"));
    }
    void wordsOfARunAreText() {
        RunPicture picture;
        picture.timeline.trace = std::make_shared<lockscope::trace::Trace>();
        picture.title = QStringLiteral("a & <b>");
        picture.sentence = QStringLiteral("A lock “</desc>” was held twice");
        QBuffer buffer;
        QVERIFY(buffer.open(QIODevice::WriteOnly));
        QVERIFY(writeSvg(picture, kSize, buffer));
        QXmlStreamReader xml(buffer.data());
        QStringList words;
        while (!xml.atEnd())
            if (xml.readNext() == QXmlStreamReader::StartElement &&
                (xml.name() == QLatin1String("title") || xml.name() == QLatin1String("desc")))
                words << xml.readElementText();
        QVERIFY2(!xml.hasError(), qPrintable(xml.errorString()));
        QCOMPARE(words, (QStringList{picture.title, picture.sentence}));
    }
    /// Text has the size that its room was measured for.
    void textIsAsLargeAsItWasMeasured() {
        RunPicture picture;
        picture.timeline.trace = std::make_shared<lockscope::trace::Trace>();
        picture.title = QStringLiteral("one");
        picture.sentence = QStringLiteral("A sentence of this size");
        QBuffer buffer;
        QVERIFY(buffer.open(QIODevice::WriteOnly));
        QVERIFY(writeSvg(picture, kSize, buffer));
        QXmlStreamReader xml(buffer.data());
        double size = 0;
        while (!xml.atEnd()) {
            if (xml.readNext() != QXmlStreamReader::StartElement || xml.name() != QLatin1String("text")) continue;
            const double its = xml.attributes().value(QLatin1String("font-size")).toDouble();
            if (xml.readElementText().contains(picture.sentence)) size = its;
        }
        const QFontInfo measured(uiFont());
        QVERIFY2(std::abs(size - measured.pixelSize()) < 1,
                 qPrintable(QStringLiteral("%1, not %2").arg(size).arg(measured.pixelSize())));
    }
    void anotherDrawingStaysAsItIs() {
        for (const QByteArray& text : {QByteArray(), QByteArray("<svg></svg>"), QByteArray("<svg><g a=\"b\""),
                                       QByteArray("<svg><g a=\"b\"><g><g c=\"d\"><g e=\"f\"></g></g></g></svg>")})
            QVERIFY(compactSvg(text).isEmpty() == text.isEmpty());
        const QByteArray empty = drawn([](QPainter&) {});
        QVERIFY(shown(compactSvg(empty)) == shown(empty));
    }
};

QTEST_MAIN(TestCompactSvg)
#include "tst_compact_svg.moc"
