// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/trace.h"

#include <map>
#include <vector>

namespace lockscope::trace {

/// A copy of a trace without anybody's names, to be shown to others: clients, locks, servers, connections and resources
/// are "client-1", "lock-1", …, in the order in which they turned up; equal names stay equal, and rows and ids are the
/// same. Numbers of threads and Lockscope's own texts are kept: roles, formats, recipes, settings; contents, commands,
/// reasons and addresses become "…", of a connection's URL its scheme stays.
///
/// The copy may follow a trace that grows. Only one thread may call it; its trace() may be read by any, as every trace.
class RedactedCopy {
public:
    /// Begins empty. `of` outlives it.
    explicit RedactedCopy(const Trace& of);

    /// Takes over at most so many more rows, and the names that they need. True: it has all rows that there are.
    bool advance(std::size_t mostRows);
    /// Takes over all rows, and also the names of which no row speaks.
    void finish();

    /// The copy as far as it has come; the same object each time.
    std::shared_ptr<const Trace> trace() const { return m_copy; }
    /// The name that stands for another one in the copy; empty: no such name has been seen. `kind` as it is in the
    /// trace; Text: of a connection.
    QByteArray aliasOf(EntityKind kind, const QByteArray& name) const;
    /// The name behind an alias; empty: there is no such alias.
    QByteArray nameBehind(EntityKind kind, const QByteArray& alias) const;

private:
    Entity redacted(EntityId id);
    const QByteArray& alias(EntityKind kind, const QByteArray& name);
    void keepOwnWords(std::size_t from, std::size_t to, std::size_t names);
    void takeNames(std::size_t upTo);

    const Trace& m_of;
    std::shared_ptr<Trace> m_copy;
    std::vector<bool> m_own; ///< by id: Texts that are Lockscope's own words
    std::map<std::pair<EntityKind, QByteArray>, QByteArray> m_aliases;
    std::map<EntityKind, int> m_counts;
};

/// A redacted copy of the whole trace as it is now.
std::shared_ptr<const Trace> redacted(const Trace& trace);

} // namespace lockscope::trace
