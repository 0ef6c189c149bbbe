// SPDX-License-Identifier: Apache-2.0
// Rows of data for behaviours that the simulated databases have in common.
#pragma once
#include "sql_group.h"

#include <QTest>

namespace lockscope::tests {

/// Column "dialect".
inline void bothDialects() {
    QTest::addColumn<int>("dialect");
    QTest::addRow("PostgreSQL") << int(Dialect::PostgreSql);
    QTest::addRow("MariaDB") << int(Dialect::MySql);
}

/// Columns "dialect" and "commits".
inline void commitsOrNot() {
    QTest::addColumn<int>("dialect");
    QTest::addColumn<bool>("commits");
    for (const bool commits : {true, false}) {
        QTest::addRow("PostgreSQL, %s", commits ? "commit" : "rollback") << int(Dialect::PostgreSql) << commits;
        QTest::addRow("MariaDB, %s", commits ? "commit" : "rollback") << int(Dialect::MySql) << commits;
    }
}

} // namespace lockscope::tests
