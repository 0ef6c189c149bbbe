// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/animated_webp.h"

#include <webp/encode.h>
#include <webp/mux.h>

namespace lockscope::views {

struct AnimatedWebp::Encoder {
    WebPAnimEncoder* encoder = nullptr;
    QSize size;
    int at = 0; ///< ms, when the next frame begins
    ~Encoder() { WebPAnimEncoderDelete(encoder); }
    QString error() const { return QString::fromUtf8(encoder ? WebPAnimEncoderGetError(encoder) : "no encoder"); }
};

AnimatedWebp::AnimatedWebp(const QSize& size) : m_encoder(std::make_unique<Encoder>()) {
    m_encoder->size = size;
    WebPAnimEncoderOptions options;
    if (!WebPAnimEncoderOptionsInit(&options)) return; // another version of the library: add() tells
    options.anim_params.loop_count = 0;                // for ever
    m_encoder->encoder = WebPAnimEncoderNew(size.width(), size.height(), &options);
}

AnimatedWebp::~AnimatedWebp() = default;

std::expected<void, QString> AnimatedWebp::add(const QImage& frame, std::chrono::milliseconds stay) {
    WebPConfig config;
    WebPPicture picture;
    if (!m_encoder->encoder || !WebPConfigInit(&config) || !WebPPictureInit(&picture))
        return std::unexpected(m_encoder->error());
    // Lines and letters: without loss they stay sharp, and are smaller, too.
    config.lossless = 1;
    config.quality = 30;
    config.method = 2;
    const QImage pixels = frame.convertToFormat(QImage::Format_RGBX8888);
    picture.use_argb = 1;
    picture.width = pixels.width();
    picture.height = pixels.height();
    const bool taken = picture.width == m_encoder->size.width() && picture.height == m_encoder->size.height() &&
                       WebPPictureImportRGBX(&picture, pixels.constBits(), int(pixels.bytesPerLine())) &&
                       WebPAnimEncoderAdd(m_encoder->encoder, &picture, m_encoder->at, &config);
    WebPPictureFree(&picture);
    if (!taken) return std::unexpected(m_encoder->error());
    m_encoder->at += int(stay.count());
    return {};
}

std::expected<QByteArray, QString> AnimatedWebp::finish() {
    WebPData data;
    WebPDataInit(&data);
    const bool whole = m_encoder->encoder && WebPAnimEncoderAdd(m_encoder->encoder, nullptr, m_encoder->at, nullptr) &&
                       WebPAnimEncoderAssemble(m_encoder->encoder, &data);
    QByteArray file =
        whole ? QByteArray(reinterpret_cast<const char*>(data.bytes), qsizetype(data.size)) : QByteArray();
    WebPDataClear(&data);
    if (!whole) return std::unexpected(m_encoder->error());
    return file;
}

} // namespace lockscope::views
