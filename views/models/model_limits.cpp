// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/model_limits.h"

#include <QCoreApplication>
#include <QFile>
#include <QRegularExpression>

namespace lockscope::views {

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(ModelLimits)
};

QString redis() {
    return Words::tr(
        "Commands take no time, and run one after another. Memory is not counted.\n"
        "A replica gets a full copy after one fixed delay. It has no replicas of its own.\n"
        "A message over a severed link is lost; TCP would deliver it if the link heals in time.\n"
        "Servers and Sentinels know each other from the start. Access lists, TLS and modules are left out.");
}

QString zooKeeper() {
    return Words::tr("Everything that a server acknowledged is on its disk; writing takes no time.\n"
                     "A new leader's followers take over its whole state at once.\n"
                     "There are no pauses of the JVM, unless you pause a server.\n"
                     "Observers, reconfiguration, read-only mode and TLS are left out.");
}

QString etcd() {
    return Words::tr("The disk keeps the whole log, and writing an entry takes 0.3 to 2 ms.\n"
                     "A member that lost its disk is filled again; a real one has to be removed and added.\n"
                     "Lease checkpoints, logins, TLS and changes of the members are left out.");
}

QString memcached() {
    return Words::tr("Memory is a number of items for each class of sizes, without pages.\n"
                     "Each call is a packet of its own.\n"
                     "Meta commands, logins, TLS and a limit of connections are left out.");
}

QString sql() {
    return Words::tr("Statements take no time: two overlap only while one waits for a lock.\n"
                     "The table of locks is there from the start. Other indexes and savepoints are left out.\n"
                     "A replica has a commit applied when it arrives. An operator promotes; nobody does so by itself.\n"
                     "A client's address leads to the new master at once.");
}

/// The first word of the headings of a kind's parts.
QString headingOf(const QString& kind) {
    if (kind == QLatin1String("redis") || kind == QLatin1String("sentinel")) return QStringLiteral("Redis");
    if (kind == QLatin1String("zookeeper")) return QStringLiteral("ZooKeeper");
    if (kind == QLatin1String("sql")) return QStringLiteral("Databases");
    if (kind == QLatin1String("etcd") || kind == QLatin1String("memcached")) return kind;
    return {};
}

} // namespace

QString modelLimitsInFull(const QString& kind) {
    const QString wanted = headingOf(kind);
    QFile file(QStringLiteral(":/sim/SIMPLIFICATIONS.md"));
    if (wanted.isEmpty() || !file.open(QIODevice::ReadOnly)) return {};
    static const QRegularExpression kPart(QStringLiteral("^## (\\w+)(?:: (\\w))?([^\n]*)\n(.*?)(?=^## |\\z)"),
                                          QRegularExpression::MultilineOption |
                                              QRegularExpression::DotMatchesEverythingOption);
    QString whole;
    const QString text = QString::fromUtf8(file.readAll());
    for (auto parts = kPart.globalMatch(text); parts.hasNext();) {
        const QRegularExpressionMatch part = parts.next();
        const QString heading = part.captured(1);
        if (heading != wanted && heading != QLatin1String("Everywhere")) continue;
        // "Redis: network" stands below Redis already.
        const QString title = part.captured(2).isEmpty() ? heading : part.captured(2).toUpper();
        whole += QStringLiteral("### ") + title + part.captured(3) + u'\n' + part.captured(4);
    }
    return whole;
}

QString modelLimits(const QString& kind) {
    if (kind == QLatin1String("redis") || kind == QLatin1String("sentinel")) return redis();
    if (kind == QLatin1String("zookeeper")) return zooKeeper();
    if (kind == QLatin1String("etcd")) return etcd();
    if (kind == QLatin1String("memcached")) return memcached();
    if (kind == QLatin1String("sql")) return sql();
    return {};
}

} // namespace lockscope::views
