// SPDX-License-Identifier: Apache-2.0
#include "trace/background_writer.h"

namespace lockscope::trace {

struct BackgroundRecording::Impl {
    explicit Impl(BackgroundWriter::Plan plan) : writer(std::move(plan)) {}
    BackgroundWriter writer;
};

BackgroundRecording::BackgroundRecording(std::unique_ptr<Impl> impl) : m_impl(std::move(impl)) {
}
BackgroundRecording::~BackgroundRecording() = default;

std::expected<std::unique_ptr<BackgroundRecording>, RecordingError>
BackgroundRecording::start(const QString& path, std::shared_ptr<const Trace> trace, const RecordingMeta& meta,
                           std::function<void(const RecordingError&)> onError) {
    auto impl = std::make_unique<Impl>(BackgroundWriter::Plan{
        .path = path, .trace = std::move(trace), .meta = meta, .onError = std::move(onError), .onWritten = {}});
    if (const auto started = impl->writer.start(); !started) return std::unexpected(started.error());
    return std::unique_ptr<BackgroundRecording>(new BackgroundRecording(std::move(impl))); // the constructor is private
}

std::expected<void, RecordingError> BackgroundRecording::finish(const RecordingMeta* meta,
                                                                const std::vector<RecordedViolation>& violations) {
    return m_impl->writer.finish(meta, violations);
}

} // namespace lockscope::trace
