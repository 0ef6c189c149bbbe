// SPDX-License-Identifier: Apache-2.0
#include "trace/export.h"

#include "trace/export_output.h"

#include <array>
#include <span>
#include <vector>

namespace lockscope::trace {

namespace {

/// A field as CSV wants it: quoted only where it must be.
QByteArray csvQuoted(const QByteArray& text) {
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
        if (name.isNull()) name = m_quote(m_trace.displayName(id).toUtf8());
        if (name.isNull()) name = "";
        return name;
    }

private:
    const Trace& m_trace;
    QByteArray (*m_quote)(const QByteArray&);
    std::vector<QByteArray> m_names;
};

constexpr std::size_t kMostWords = 4;

std::size_t flagWords(const Event& e, std::array<const char*, kMostWords>& words) {
    std::size_t n = 0;
    if (e.flags & kByHand) words[n++] = "by-hand";
    if (e.flags & kFault) words[n++] = "fault";
    const auto addMode = [&](HoldMode mode) {
        if (mode == HoldMode::Shared) words[n++] = "shared";
        if (mode == HoldMode::Permit) words[n++] = "permits";
    };
    if (e.kind == EventKind::RecordFreed || e.kind == EventKind::RecordHolderGone) {
        constexpr std::array kHow{"release", "expiry", "force", "overwrite", "node-loss"};
        const std::size_t how = e.flags & kFreedByMask;
        if (how < kHow.size()) words[n++] = kHow[how];
        if (e.kind == EventKind::RecordHolderGone) addMode(goneMode(e.flags));
    } else if (e.kind == EventKind::RecordHeld || e.kind == EventKind::RecordRenewed ||
               e.kind == EventKind::RecordHolder || e.kind == EventKind::RecordQueued) {
        addMode(holdMode(e.flags));
        if (e.kind == EventKind::RecordQueued && e.flags & kQueuedDead) words[n++] = "dead";
    } else if (e.kind == EventKind::ReplicationLag) {
        words[n++] = LagUnit(e.flags & kLagUnitMask) == LagUnit::Bytes ? "bytes" : "ns";
    } else if (e.kind == EventKind::EngineChanged) {
        constexpr std::array kNews{"unhealthy", "healthy", "leaving", "in-use", "refused"};
        const std::size_t news = e.flags & kEngineNewsMask;
        if (news < kNews.size()) words[n++] = kNews[news];
    } else if (e.kind == EventKind::SessionChanged) {
        constexpr std::array kPhases{"connected", "suspended", "expired"};
        if (std::uint64_t(e.value) < kPhases.size()) words[n++] = kPhases[std::size_t(e.value)];
    } else if (e.kind == EventKind::NodeRole) {
        if (e.flags & kCopiesNobody) words[n++] = "copies-nobody";
    } else if (e.kind == EventKind::NodeDoubted) {
        constexpr std::array kDoubts{"up", "down", "agreed-down"};
        if (std::uint64_t(e.value) < kDoubts.size()) words[n++] = kDoubts[std::size_t(e.value)];
    } else if (e.kind == EventKind::FailoverStep) {
        constexpr std::array<const char*, kFailoverPhases> kPhases{
            "begun", "led", "chosen", "promoted", "announced", "ended", "abandoned", "demoted", "asked"};
        if (std::uint64_t(e.value) < kPhases.size()) words[n++] = kPhases[std::size_t(e.value)];
    }
    return n;
}

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
                      std::array<const char*, kMostWords> words{};
                      const std::size_t n = flagWords(e, words);
                      for (std::size_t i = 0; i < n; ++i) {
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
        std::array<const char*, kMostWords> words{};
        const std::size_t n = flagWords(e, words);
        for (std::size_t i = 0; i < n; ++i) {
            if (i) to += ',';
            to += '"';
            to += words[i];
            to += '"';
        }
        to += "],\"text\":" + (named ? names.of(e.aux) : QByteArray("\"\"")) + "}\n";
    });
}

} // namespace lockscope::trace
