// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/recipe.h"

namespace lockscope {

/// A small value that a server keeps for good, for agreements between processes.
struct Record {
    bool there = false;
    QByteArray value;
    QByteArray version; ///< opaque: which state of it this is
};

/// Records by name on one server. All operations may throw Cancelled.
class RecordStore {
public:
    virtual ~RecordStore() = default;
    /// As it is now; Record::there is false when there is none. Kind::Unreachable without an answer.
    virtual recipes::Outcome<Record> read(QByteArray name, std::stop_token stop = {}) = 0;
    /// Writes `value` if the record is still what was seen; false when it is not. After Kind::OutcomeUnknown: read.
    virtual recipes::Outcome<bool> replace(QByteArray name, Record seen, QByteArray value,
                                           std::stop_token stop = {}) = 0;
};

} // namespace lockscope
