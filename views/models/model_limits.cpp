// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/model_limits.h"

#include <QCoreApplication>
#include <QFile>
#include <QLocale>
#include <QRegularExpression>
#include <vector>

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

/// The first word of the English headings of a kind's parts.
QString headingOf(const QString& kind) {
    if (kind == QLatin1String("redis") || kind == QLatin1String("sentinel")) return QStringLiteral("Redis");
    if (kind == QLatin1String("zookeeper")) return QStringLiteral("ZooKeeper");
    if (kind == QLatin1String("sql")) return QStringLiteral("Databases");
    if (kind == QLatin1String("etcd") || kind == QLatin1String("memcached")) return kind;
    return {};
}

struct Part {
    QString kind;  ///< the first word of its heading
    QString title; ///< the rest of it, or the kind where nothing follows
    QString items;
};

std::vector<Part> partsOf(const QString& path) {
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) return {};
    static const QRegularExpression kPart(QStringLiteral("^## (\\w+)(?:(?:: |：)([^\n]+))?\n(.*?)(?=^## |\\z)"),
                                          QRegularExpression::MultilineOption |
                                              QRegularExpression::DotMatchesEverythingOption |
                                              QRegularExpression::UseUnicodePropertiesOption);
    std::vector<Part> parts;
    // Chinese lines go on without a space, which Markdown makes of the end of a line.
    static const QRegularExpression kWrap(
        QStringLiteral("(?<=[，。；：、）])\\n +(?=\\S)|(?<=\\p{Han})\\n +(?=[\\p{Han}（])"));
    const QString text = QString::fromUtf8(file.readAll()).remove(kWrap);
    for (auto matches = kPart.globalMatch(text); matches.hasNext();) {
        const QRegularExpressionMatch part = matches.next();
        // "Redis: network" stands below Redis already.
        QString title = part.captured(2).isEmpty() ? part.captured(1) : part.captured(2);
        title[0] = title.at(0).toUpper();
        parts.push_back({part.captured(1), title, part.captured(3)});
    }
    return parts;
}

} // namespace

QString modelLimitsInFull(const QString& kind) {
    const QString wanted = headingOf(kind);
    if (wanted.isEmpty()) return {};
    const std::vector<Part> english = partsOf(QStringLiteral(":/sim/SIMPLIFICATIONS.md"));
    // Another language has the same parts in the same order: tests/rules compare the files.
    std::vector<Part> shown = partsOf(QStringLiteral(":/sim/SIMPLIFICATIONS.%1.md").arg(QLocale().name()));
    if (shown.size() != english.size()) shown = english;
    QString whole;
    for (std::size_t i = 0; i < english.size(); ++i)
        if (english[i].kind == wanted || english[i].kind == QLatin1String("Everywhere"))
            whole += QStringLiteral("### ") + shown[i].title + u'\n' + shown[i].items;
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
