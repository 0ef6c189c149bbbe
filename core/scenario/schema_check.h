// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/suggestion.h"

#include <QJsonObject>
#include <QString>
#include <vector>

namespace lockscope::scenario {

/// A complaint before its line is known.
struct Complaint {
    QString path; ///< JSON pointer
    QString message;
};

using lockscope::suggestion;

} // namespace lockscope::scenario
