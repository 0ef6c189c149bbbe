// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "trace/recording.h"

#include <QIODevice>
#include <optional>

namespace lockscope::cli {

/// The part of a run that a picture shows; a missing end is the run's.
struct Stretch {
    std::optional<Nanos> from, until;
};

/// Whether what is exported names clients, locks and servers.
enum class Names : std::uint8_t {
    Shown,
    Hidden, ///< as trace::redacted()
};
enum class CardForm : std::uint8_t { Pdf, Png };

/// The recording's trace, with names or as a copy without them.
std::shared_ptr<const trace::Trace> shownTrace(Names names, const trace::LoadedRecording& recording);

/// Paints one page about a recording: its picture, its verdict and the facts of it. Needs a QGuiApplication. An error
/// is a sentence.
std::expected<void, QString> paintCard(CardForm form, Names names, trace::LoadedRecording recording,
                                       const Stretch& stretch, QIODevice& device);

/// Paints the timeline of a recording, with its verdict, as "png", "svg", or as an animated "webp" in which the stretch
/// happens. Needs a QGuiApplication. An error is a sentence.
std::expected<void, QString> paint(const QString& format, Names names, const trace::LoadedRecording& recording,
                                   const Stretch& stretch, QIODevice& device);

} // namespace lockscope::cli
