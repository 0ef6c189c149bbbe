// SPDX-License-Identifier: Apache-2.0
#include "trace/forgetful_recording.h"

#include "trace/background_writer.h"
#include "trace/bulk_loader.h"

namespace lockscope::trace {

struct ForgetfulRecording::Impl {
    explicit Impl(BackgroundWriter::Plan plan) : writer(std::move(plan)) {}
    BackgroundWriter writer;
};

ForgetfulRecording::ForgetfulRecording(std::unique_ptr<Impl> impl) : m_impl(std::move(impl)) {
}
ForgetfulRecording::~ForgetfulRecording() = default;

std::expected<std::unique_ptr<ForgetfulRecording>, RecordingError>
ForgetfulRecording::start(const QString& path, const std::shared_ptr<Trace>& trace, const RecordingMeta& meta,
                          std::function<void(const RecordingError&)> onError) {
    auto impl = std::make_unique<Impl>(
        BackgroundWriter::Plan{.path = path,
                               .trace = trace,
                               .meta = meta,
                               .onError = std::move(onError),
                               .onWritten = [trace](std::size_t row) { BulkLoader::forget(*trace, row); }});
    if (const auto started = impl->writer.start(); !started) return std::unexpected(started.error());
    return std::unique_ptr<ForgetfulRecording>(new ForgetfulRecording(std::move(impl))); // the constructor is private
}

std::expected<void, RecordingError> ForgetfulRecording::finish() {
    return m_impl->writer.finish(nullptr, {});
}

} // namespace lockscope::trace
