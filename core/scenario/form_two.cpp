// SPDX-License-Identifier: Apache-2.0
#include "scenario/form_two.h"

#include "scenario/scenario.h"

#include <QJsonArray>

namespace lockscope::scenario {

QJsonObject inFormTwo(QJsonObject document) {
    if (document[u"lockscope"].toInt() != 1) return document;
    document[u"lockscope"] = 2;
    QJsonObject lock = document.take(u"lock").toObject();
    if (!lock.contains(u"name")) lock[u"name"] = LockSettings{}.name; // the second version wants it said
    document[u"locks"] = QJsonArray{lock};
    if (document.contains(u"clients")) document[u"workload"] = document.take(u"clients");
    if (document.contains(u"service")) document[u"services"] = QJsonArray{document.take(u"service")};
    return document;
}

} // namespace lockscope::scenario
