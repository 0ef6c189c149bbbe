// SPDX-License-Identifier: Apache-2.0
#include "trace/export_output.h"

#include <QCoreApplication>

namespace lockscope::trace {

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(Export)
};

} // namespace

QByteArray jsonQuoted(const QByteArray& text) {
    QByteArray quoted = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            quoted += '\\';
            quoted += c;
        } else if (static_cast<unsigned char>(c) < 0x20) {
            constexpr char kHex[] = "0123456789abcdef";
            quoted += "\\u00";
            quoted += kHex[c >> 4];
            quoted += kHex[c & 15];
        } else {
            quoted += c;
        }
    }
    return quoted + '"';
}

QByteArray exportedName(const Trace& trace, EntityId id) {
    const EntityKind kind = trace.entity(id).kind;
    if (kind == EntityKind::Lock && trace.entity(id).name.isEmpty() && trace.copyOf(id) == kNoEntity)
        return QByteArrayLiteral("(empty)"); // in every language: programs read it
    const QString name = trace.displayName(id);
    const bool nameless = id != kNoEntity && name.isEmpty() && kind != EntityKind::Text;
    return nameless ? QByteArrayLiteral("(empty)") : name.toUtf8();
}

void ExportOutput::flush() {
    if (m_stop.stop_requested())
        m_failure = Words::tr("The export was stopped; the file is incomplete.");
    else if (m_device.write(m_text) != m_text.size())
        m_failure = Words::tr("The export could not be written: %1.").arg(m_device.errorString());
    m_text.clear();
}

bool ExportOutput::goesOn() {
    constexpr qsizetype kEnough = 1 << 18;
    if (m_failure.isEmpty() && m_text.size() >= kEnough) flush();
    return m_failure.isEmpty();
}

std::expected<void, QString> ExportOutput::end() {
    if (m_failure.isEmpty()) flush();
    if (!m_failure.isEmpty()) return std::unexpected(m_failure);
    return {};
}

} // namespace lockscope::trace
