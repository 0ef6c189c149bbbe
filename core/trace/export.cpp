// SPDX-License-Identifier: Apache-2.0
#include "trace/export.h"

#include "trace/event_words.h"
#include "trace/export_output.h"

#include <array>
#include <span>
#include <vector>

namespace lockscope::trace {

namespace {

/// A name or text as CSV wants it: quoted only where it must be. A spreadsheet would run it as a formula if it began
/// like one: an apostrophe before it makes it text (OWASP, "CSV Injection").
QByteArray csvQuoted(const QByteArray& name) {
    constexpr char kFormula[] = "=+-@\t\r";
    const bool runs = !name.isEmpty() && QByteArrayView(kFormula).contains(name.front());
    const QByteArray text = runs ? '\'' + name : name;
    if (std::ranges::none_of(text, [](char c) { return c == ',' || c == '"' || c == '\n' || c == '\r'; })) return text;
    QByteArray quoted = text;
    quoted.replace('"', "\"\"");
    return '"' + quoted + '"';
}

/// Names in a format's spelling, each worked out once.
class Names {
public:
    Names(const Trace& trace, QByteArray (*quote)(const QByteArray&)) : m_trace(trace), m_quote(quote) {}
    const QByteArray& of(EntityId id) {
        if (id >= m_trace.entityCount()) id = kNoEntity; // from a damaged recording
        if (id >= m_names.size()) m_names.resize(m_trace.entityCount());
        QByteArray& name = m_names[id];
        if (name.isNull()) name = m_quote(exportedName(m_trace, id));
        if (name.isNull()) name = "";
        return name;
    }

private:
    const Trace& m_trace;
    QByteArray (*m_quote)(const QByteArray&);
    std::vector<QByteArray> m_names;
};

/// Streams rows; `line` appends one row's text.
template <typename Line>
std::expected<void, QString> stream(const Trace& trace, QIODevice& device, std::stop_token stop, const QByteArray& head,
                                    Line line) {
    ExportOutput output(device, std::move(stop));
    output.text() = head;
    const std::size_t rows = trace.size();
    for (std::size_t i = 0; i < rows && output.goesOn(); ++i)
        line(output.text(), trace.at(i));
    return output.end();
}

} // namespace

std::expected<void, QString> exportCsv(const Trace& trace, QIODevice& device, std::stop_token stop) {
    Names names(trace, &csvQuoted);
    return stream(trace, device, std::move(stop), "time_ns,kind,actor,subject,value,aux,flags,text\n",
                  [&](QByteArray& to, const Event& e) {
                      const bool named = auxIsEntity(e.kind);
                      to += QByteArray::number(qlonglong(e.at)) + ',' + kindName(e.kind) + ',' + names.of(e.actor) +
                            ',' + names.of(e.subject) + ',' + QByteArray::number(qlonglong(e.value)) + ',' +
                            QByteArray::number(named ? 0u : e.aux) + ',';
                      const EventWords said(e);
                      const auto words = said.all();
                      for (std::size_t i = 0; i < words.size(); ++i) {
                          if (i) to += ' ';
                          to += words[i];
                      }
                      to += ',';
                      if (named) to += names.of(e.aux);
                      to += '\n';
                  });
}

std::expected<void, QString> exportJsonl(const Trace& trace, QIODevice& device, std::stop_token stop) {
    Names names(trace, &jsonQuoted);
    return stream(trace, device, std::move(stop), {}, [&](QByteArray& to, const Event& e) {
        const bool named = auxIsEntity(e.kind);
        to += "{\"time_ns\":" + QByteArray::number(qlonglong(e.at)) + ",\"kind\":\"" + kindName(e.kind) +
              "\",\"actor\":" + names.of(e.actor) + ",\"subject\":" + names.of(e.subject) +
              ",\"value\":" + QByteArray::number(qlonglong(e.value)) +
              ",\"aux\":" + QByteArray::number(named ? 0u : e.aux) + ",\"flags\":[";
        const EventWords said(e);
        const auto words = said.all();
        for (std::size_t i = 0; i < words.size(); ++i) {
            if (i) to += ',';
            to += '"';
            to += words[i];
            to += '"';
        }
        to += "],\"text\":" + (named ? names.of(e.aux) : QByteArray("\"\"")) + "}\n";
    });
}

} // namespace lockscope::trace
