// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/trace.h"

#include <QIODevice>
#include <array>
#include <expected>
#include <stop_token>

namespace lockscope::trace {

// Text formats of a trace: one event per line, UTF-8, in trace order. Names and texts are in the readable form of
// trace/text.h, so that none has a line break. The columns are a contract for scripts:
//   time_ns  ns from the trace's origin
//   kind     as kindName() gives it: "granted", "record-held"
//   actor    who did it: "A · 1" for thread 1 of client A, a node's or client's name, empty for nobody
//   subject  what it was done to: a lock, resource, node, client or link; "(empty)" if its name is empty
//   value    a number; what it means depends on the kind (event.h); -1 where the kind knows "never", -2 "not known"
//   aux      a number (hold count, step); 0 where the kind's second column is a name: that stands in `text`
//   flags    words: by-hand, fault; for record-freed: release, expiry, force, overwrite, node-loss
//   text     a reason, command, channel or setting; for record-freed the owner that was freed

/// RFC 4180 with a header line and "\n" between lines; spaces between flags. A name or text that begins with = + - @
/// has an apostrophe before it, lest a spreadsheet runs it. The error is a sentence: the device's error, or that the
/// export was stopped.
std::expected<void, QString> exportCsv(const Trace& trace, QIODevice& device, std::stop_token stop = {});

/// One JSON object per line, with all columns under those names and in that order; flags are an array of strings.
std::expected<void, QString> exportJsonl(const Trace& trace, QIODevice& device, std::stop_token stop = {});

/// JSON for Perfetto's viewer (the Chrome trace event format): clients with their waits and holds by belief, pauses and
/// deaths; locks with their holders by the record; servers with roles and outages; writes and faults as instants;
/// queues as counters. Messages are left out. Times are µs from the trace's origin.
std::expected<void, QString> exportPerfetto(const Trace& trace, QIODevice& device, std::stop_token stop = {});

/// A history for Jepsen and its checkers: EDN, one operation a line, times in ns from the trace's origin. A process is
/// a thread of a client. :acquire and :release are invoked by the client and end with :ok, :fail, or :info where the
/// outcome is unknown to it; :write of a guarded resource ends with :ok or :fail. After :info the thread goes on as
/// another process, as Jepsen demands. The values are [lock token], [lock] or [resource token]. Faults are operations
/// of :nemesis. A client's loss of a hold is an :info of its own, :lost.
///
/// In a recording of watched servers, nobody knows when a client asked. Each change of an exclusive hold is an
/// operation from the last look before it to the look that saw it, which contains the change. A hold that has not ended
/// by a release, or not in sight, ends with :info. Lines are in the order of their times. Each pair of a thread and a
/// lock is a process. A trace with neither is an error: its history would be empty, and would look like one that is
/// fine.
std::expected<void, QString> exportJepsen(const Trace& trace, QIODevice& device, std::stop_token stop = {});

/// A format of a file that a whole trace can be exported to.
struct ExportFormat {
    const char* id;     ///< on the command line
    const char* suffix; ///< of such files, without the dot
    std::expected<void, QString> (*write)(const Trace& trace, QIODevice& device, std::stop_token stop);
};
inline constexpr std::array kExportFormats{
    ExportFormat{"csv", "csv", exportCsv},
    ExportFormat{"jsonl", "jsonl", exportJsonl},
    ExportFormat{"perfetto", "json", exportPerfetto},
    ExportFormat{"jepsen", "edn", exportJepsen},
};

} // namespace lockscope::trace
