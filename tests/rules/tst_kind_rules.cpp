// SPDX-License-Identifier: Apache-2.0
#include "source_tree.h"

#include <QRegularExpression>
#include <QTest>
#include <map>
#include <set>

using namespace lockscope::rules;

namespace {

using Kinds = std::set<QString>;

/// A room's table of kinds of servers: the place where a new kind is entered, and how to read it.
struct Table {
    QString room;
    QStringList files;                  ///< or folders; from the tree's root
    QString entry;                      ///< an expression that captures a kind's name
    bool byPath = false;                ///< it is the files' paths that tell, not their texts
    std::map<QString, QString> names{}; ///< of kinds that are called differently there
};

const QString kPorts = QStringLiteral("core/ports/diallers.h");

QString text(const SourceFile& file) {
    return file.lines.join(QLatin1Char('\n'));
}

std::vector<SourceFile> filesOf(const Table& table) {
    std::vector<SourceFile> files;
    for (const QString& path : table.files) {
        const bool isFile = path.endsWith(QLatin1String(".cpp")) || path.endsWith(QLatin1String(".h"));
        const QStringList patterns = isFile ? QStringList{path.section(QLatin1Char('/'), -1)}
                                            : QStringList{QStringLiteral("*.cpp"), QStringLiteral("*.h")};
        for (SourceFile& file : filesBelow({isFile ? path.section(QLatin1Char('/'), 0, -2) : path}, patterns)) {
            if (!isFile || file.path == path) files.push_back(std::move(file));
        }
    }
    return files;
}

Kinds kindsIn(const Table& table) {
    const QRegularExpression entry(table.entry);
    Kinds kinds;
    for (const SourceFile& file : filesOf(table)) {
        auto match = entry.globalMatch(table.byPath ? file.path : text(file));
        while (match.hasNext()) {
            const QString name = match.next().captured(1).toLower();
            const auto known = table.names.find(name);
            kinds.insert(known == table.names.end() ? name : known->second);
        }
    }
    return kinds;
}

/// All kinds: each world supplies a dialler for each, or leaves it empty.
Kinds allKinds() {
    return kindsIn({QStringLiteral("ports"), {kPorts}, QStringLiteral(R"(\n    \w+::Dialler (\w+);)")});
}

std::vector<Table> tables() {
    const std::map<QString, QString> readers{{QStringLiteral("sqlreader"), QStringLiteral("sql")}};
    const std::map<QString, QString> databases{{QStringLiteral("mariadb"), QStringLiteral("sql")},
                                               {QStringLiteral("postgres"), QStringLiteral("sql")}};
    return {
        {QStringLiteral("drivers"),
         {QStringLiteral("core/drivers/dial.cpp")},
         QStringLiteral(R"(\n        \.(\w+) =)"),
         false,
         readers},
        {QStringLiteral("recipes"), {QStringLiteral("core/recipes")}, QStringLiteral("\\.backend = \"(\\w+)\";")},
        {QStringLiteral("connections"),
         {QStringLiteral("core/connections/make_connection.cpp")},
         QStringLiteral(R"(return make(\w+?)(?:Kind)?Connection\()")},
        {QStringLiteral("offers"),
         {QStringLiteral("core/offers/backend_table.cpp")},
         QStringLiteral("\\n        \\{\"[\\w+]+\", \"(\\w+)\", \"")},
        {QStringLiteral("inspect"),
         {QStringLiteral("core/inspect/make_watcher.cpp")},
         QStringLiteral(R"(#include "inspect/(\w+)/watcher\.h")")},
        {QStringLiteral("sandbox"),
         {QStringLiteral("core/sandbox")},
         QStringLiteral(R"(^core/sandbox/(redis|zookeeper|mariadb|postgres|memcached|etcd)_server\.h$)"),
         true,
         databases},
        {QStringLiteral("every_recipe"),
         {QStringLiteral("tests/live/every_recipe/ground.cpp")},
         QStringLiteral("\\n        \\{\"[\\w-]+\", \"(\\w+)\", &")},
        {QStringLiteral("sim"), {QStringLiteral("core/sim")}, QStringLiteral(R"(\bdiallers\.(\w+) = )")},
    };
}

/// Kinds that a room does not have, with the reason: every room has every kind now.
std::map<QString, QString> reasonsFor(const QString&) {
    return {};
}

} // namespace

/// "How to add a backend" (ARCHITECTURE.md) is true in each room.
class tst_kind_rules : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void thePortsNameAllKinds() {
        const Kinds kinds{QStringLiteral("etcd"), QStringLiteral("memcached"), QStringLiteral("redis"),
                          QStringLiteral("sql"), QStringLiteral("zookeeper")};
        QVERIFY2(std::ranges::includes(allKinds(), kinds), "core/ports/diallers.h is not understood");
        const QDir ports(kRoot + QStringLiteral("core/ports"));
        for (const QString& kind : allKinds())
            QVERIFY2(ports.exists(kind), qPrintable(QStringLiteral("core/ports has no folder ") + kind));
    }

    void everyRoomHasEveryKindOrAReason_data() {
        QTest::addColumn<QString>("room");
        for (const Table& table : tables())
            QTest::newRow(qPrintable(table.room)) << table.room;
    }
    void everyRoomHasEveryKindOrAReason() {
        QFETCH(QString, room);
        const auto all = tables();
        const Table& table = *std::ranges::find(all, room, &Table::room);
        const Kinds there = kindsIn(table);
        const std::map<QString, QString> reasons = reasonsFor(room);
        QVERIFY2(!there.empty(), qPrintable(table.files.join(u' ') + QStringLiteral(" is not understood")));
        QStringList wrong;
        for (const QString& kind : there) {
            if (!allKinds().contains(kind))
                wrong += QStringLiteral("%1 has the kind %2, which %3 does not name").arg(room, kind, kPorts);
            if (reasons.contains(kind))
                wrong += QStringLiteral("%1 has the kind %2 now: take its reason away").arg(room, kind);
        }
        for (const QString& kind : allKinds()) {
            if (!there.contains(kind) && !reasons.contains(kind))
                wrong += QStringLiteral("%1 does not have the kind %2, and no reason is written down").arg(room, kind);
        }
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(QLatin1Char('\n'))));
    }
};

QTEST_APPLESS_MAIN(tst_kind_rules)
#include "tst_kind_rules.moc"
