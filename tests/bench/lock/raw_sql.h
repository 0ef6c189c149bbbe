// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "raw_threads.h"

namespace lockscope::bench {

/// The statements of one lock in one dialect: the fewest that the recipe needs, with all values in the text.
struct SqlPair {
    std::vector<QByteArray> take, give;
};
/// Once, before any of them.
std::vector<QByteArray> rawSqlPreparation(const ConnectionUrl& url, const QByteArray& lock);
SqlPair rawSqlPair(const ConnectionUrl& url, const QByteArray& recipe, const QByteArray& lock);

MadeRawClient makeRawMySql(const ConnectionUrl& url, const QByteArray& recipe, const QByteArray& lock);
MadeRawClient makeRawPostgreSql(const ConnectionUrl& url, const QByteArray& recipe, const QByteArray& lock);
MadeRawClient makeRawSqlite(const ConnectionUrl& url, const QByteArray& recipe, const QByteArray& lock);

} // namespace lockscope::bench
