// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/etcd/seen_keys.h"
#include "inspect/format.h"

namespace lockscope::inspect {

/// The layouts of locks on etcd, in the order in which they are tried.
std::span<const Format<SeenKeys>> etcdFormats();

std::vector<LockRow> readEtcdShedLock(const SeenKeys& seen);  ///< shedlock
std::vector<LockRow> readEtcdReadWrite(const SeenKeys& seen); ///< etcd-rw: the client's experimental RWMutex
std::vector<LockRow> readEtcdMutex(const SeenKeys& seen);     ///< etcd-mutex, etcd-election

/// A row without holders.
LockRow etcdRow(const SeenKeys& seen, const char* format);
/// The contender that has a key: its lease is all that the layout names.
Party etcdParty(const SeenKeys& seen, const etcd::KeyValue& key, const char* mode);
/// Takes over a holder's end as the lock's.
void endsWith(LockRow& row, const Party& holder);

} // namespace lockscope::inspect
