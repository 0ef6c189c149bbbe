// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/trace.h"

#include <QByteArray>
#include <QIODevice>
#include <QString>
#include <expected>
#include <stop_token>

namespace lockscope::trace {

/// A string as JSON wants it (RFC 8259), with its quotes.
QByteArray jsonQuoted(const QByteArray& text);

/// The readable name of an entity; "(empty)" where it is there and has none: an empty column says that there is nobody.
QByteArray exportedName(const Trace& trace, EntityId id);

/// The text of an export on its way to a device, in pieces of a quarter of a megabyte.
class ExportOutput {
public:
    ExportOutput(QIODevice& device, std::stop_token stop) : m_device(device), m_stop(std::move(stop)) {}

    /// Append to it.
    QByteArray& text() { return m_text; }
    /// Writes when there is enough. False: it failed or was stopped, and nothing more is written.
    bool goesOn();
    /// Writes the rest. The error is a sentence: the device's error, or that the export was stopped.
    std::expected<void, QString> end();

private:
    void flush();

    QIODevice& m_device;
    std::stop_token m_stop;
    QByteArray m_text;
    QString m_failure; ///< empty: none
};

} // namespace lockscope::trace
