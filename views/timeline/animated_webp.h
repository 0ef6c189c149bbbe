// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QByteArray>
#include <QImage>
#include <chrono>
#include <expected>
#include <memory>

namespace lockscope::views {

/// Encodes pictures one after the other as an animated WebP that plays for ever. It needs no GUI thread.
class AnimatedWebp {
public:
    /// All frames have this size, in pixels.
    explicit AnimatedWebp(const QSize& size);
    ~AnimatedWebp();
    AnimatedWebp(const AnimatedWebp&) = delete;
    AnimatedWebp& operator=(const AnimatedWebp&) = delete;

    /// Adds a frame that is shown for `stay` >= 1 ms. The error is the library's sentence.
    std::expected<void, QString> add(const QImage& frame, std::chrono::milliseconds stay);
    /// The whole file. Precondition: at least one frame was added.
    std::expected<QByteArray, QString> finish();

private:
    struct Encoder;
    std::unique_ptr<Encoder> m_encoder;
};

} // namespace lockscope::views
