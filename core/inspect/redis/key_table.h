// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/redis/recogniser.h"

namespace lockscope::inspect {

/// All keys of one look, found by name.
class KeyTable {
public:
    explicit KeyTable(std::span<const KeySnapshot> keys);
    /// The key of this name and type; nullptr when there is none, or when it could not be read.
    const KeySnapshot* find(const QByteArray& key, const char* type) const;
    /// We have no right to read this key, so that nobody knows whether it is there.
    bool refused(const QByteArray& key) const;
    /// All keys, sorted by name.
    const std::map<QByteArray, const KeySnapshot*>& all() const { return m_keys; }

private:
    std::map<QByteArray, const KeySnapshot*> m_keys;
};

/// Subscribers of a channel; missing = not known.
std::optional<std::int64_t> subscribersOf(const std::optional<Subscriptions>& subscriptions, const QByteArray& channel);

/// A key of one look, with everything that tells which lock it is.
struct SeenKey {
    const KeySnapshot& key;
    const KeyTable& keys;
    const std::optional<Subscriptions>& subscriptions;
    const RecogniserOptions& options;
};

} // namespace lockscope::inspect
