// SPDX-License-Identifier: Apache-2.0
#include "worker_task.h"

#include "recipes/recipe_info.h"

#include <QCommandLineParser>
#include <QCoreApplication>

namespace lockscope::torture {

std::expected<WorkerTask, QString> readTask(const QCoreApplication& application) {
    QCommandLineParser parser;
    for (const char* name :
         {"url", "client", "recipe", "journal", "counters", "origin", "until", "lease", "threads", "seed"}) {
        const QString id = QString::fromLatin1(name);
        parser.addOption(QCommandLineOption(id, {}, id));
    }
    for (const char* name : {"bounded", "heedless", "blocking", "look", "sabotage"})
        parser.addOption(QCommandLineOption(QString::fromLatin1(name)));
    parser.process(application);
    const auto value = [&](const char* name) { return parser.value(QLatin1String(name)); };
    const auto isSet = [&](const char* name) { return parser.isSet(QLatin1String(name)); };
    WorkerTask task;
    task.url = value("url");
    task.client = value("client").toUtf8();
    task.recipe = value("recipe").toUtf8();
    task.journal = value("journal");
    task.counters = value("counters");
    task.origin = Nanos(value("origin").toLongLong());
    task.until = Nanos(value("until").toLongLong());
    task.lease = std::chrono::milliseconds(value("lease").toLongLong());
    task.threads = value("threads").toInt();
    task.seed = value("seed").toULongLong();
    task.bounded = isSet("bounded");
    task.heedless = isSet("heedless");
    task.blocking = isSet("blocking");
    task.look = isSet("look");
    task.sabotage = isSet("sabotage");
    if (!recipes::findRecipe(task.recipe))
        return std::unexpected(QStringLiteral("no recipe %1").arg(QString::fromUtf8(task.recipe)));
    return task;
}

} // namespace lockscope::torture
