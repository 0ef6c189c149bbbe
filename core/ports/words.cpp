// SPDX-License-Identifier: Apache-2.0
#include "ports/words.h"

#include <QCoreApplication>

namespace lockscope {

QString inWords(Nanos duration) {
    const auto ms = std::chrono::ceil<std::chrono::milliseconds>(duration).count();
    if (ms < 1000) return QCoreApplication::translate("Format", "%1 ms").arg(ms);
    const double seconds = double(ms) / 1000;
    return QCoreApplication::translate("Format", "%1 s").arg(seconds, 0, 'f', ms % 1000 == 0 || ms >= 10'000 ? 0 : 1);
}

} // namespace lockscope
