// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "background.h"

#include <map>
#include <optional>
#include <vector>

namespace lockscope::torture {

/// One command that a Redis says it has run, after MONITOR.
struct MonitorLine {
    std::int64_t at = 0;           ///< ns since 1970
    bool inScript = false;         ///< then it did have an effect, if it is one that changes anything
    QByteArray caller;             ///< "<client>:<thread>" who asked for it, of a script: who called that
    std::vector<QByteArray> words; ///< two at least
};

/// Reads what MONITOR says, line by line. The owner of a connection is known by its port, and by the names in its
/// commands; the thread is a guess, since threads share connections.
class MonitorLines {
public:
    explicit MonitorLines(const Speakers& speakers) : m_speakers(speakers) {}
    /// One line, without its end; nullopt: it is no command.
    std::optional<MonitorLine> read(const QByteArray& line);

private:
    const Speakers& m_speakers;
    std::map<QByteArray, QByteArray> m_named; ///< whose last words named them, by address
    QByteArray m_caller;
};

} // namespace lockscope::torture
