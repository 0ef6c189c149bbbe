// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/recipe.h"

namespace lockscope {

/// A small value that a server keeps permanently, for agreements between processes.
struct Record {
    bool there = false;
    QByteArray value;
    QByteArray version; ///< opaque: identifies this state of the record
};

/// Named records on one server. All operations may throw Cancelled.
class RecordStore {
public:
    virtual ~RecordStore() = default;
    /// The record as it is now; Record::there is false when it does not exist. Kind::Unreachable without an answer.
    virtual recipes::Outcome<Record> read(QByteArray name, std::stop_token stop = {}) = 0;
    /// Writes `value` if the record is still as `seen`; false when it changed. After Kind::OutcomeUnknown, read again.
    virtual recipes::Outcome<bool> replace(QByteArray name, Record seen, QByteArray value,
                                           std::stop_token stop = {}) = 0;
};

} // namespace lockscope
