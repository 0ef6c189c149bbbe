// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/event.h"

#include <QByteArray>
#include <QString>
#include <array>
#include <expected>
#include <vector>

namespace lockscope::torture {

/// One line of a worker's journal. It is written by one system call at the moment at which it happens, before the
/// worker goes on: what a killed or stopped process has done is all there, up to the last thing that it began.
struct Entry {
    enum class What : char {
        Event = 'E',     ///< of the lock: `event` with actor = number of the thread, subject = number of the lock
        Increment = 'I', ///< the counter of lock `event.subject` was written
        Defect = 'F',    ///< something that must never be; `text` says what
        Port = 'P',      ///< a connection was made: `event.value` is the port that the server sees
    };
    What what = What::Event;
    trace::Event event;
    QByteArray text; ///< of events whose aux is a text
};

/// A worker's journal: appended to by the worker.
class JournalWriter {
public:
    /// Opens the file; valid() says whether that went well.
    explicit JournalWriter(const QString& path);
    ~JournalWriter();
    JournalWriter(const JournalWriter&) = delete;
    JournalWriter& operator=(const JournalWriter&) = delete;
    bool valid() const { return m_file >= 0; }
    /// Any thread may.
    void write(const Entry& entry);

private:
    int m_file = -1;
};

/// Everything in a journal; a last line that its writer did not live to finish is left out.
std::expected<std::vector<Entry>, QString> readJournal(const QString& path);

/// A number in a file that is read and written back without any atomicity: right at the end only if those who did it
/// excluded each other.
class Counter {
public:
    explicit Counter(const QString& path);
    ~Counter();
    Counter(const Counter&) = delete;
    Counter& operator=(const Counter&) = delete;
    std::int64_t read() const;
    void write(std::int64_t value) const;

private:
    int m_file = -1;
};

inline constexpr int kLocks = 4;
inline constexpr int kPermits = 3; ///< of a semaphore
/// The name of a lock on the server; recipes over several locks get several names.
QByteArray lockName(int number, bool several);

} // namespace lockscope::torture
