// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/exit_status.h"
#include "cli/output.h"
#include "cli/text.h"
#include "cli/usage.h"
#include "lesson/lesson_file.h"
#include "offers/backend_table.h"
#include "offers/recipe_table.h"
#include "recipes/exhibits.h"
#include "recipes/recipe_info.h"
#include "scenario/scenario_file.h"
#include "scenario/scenario_source.h"
#include "scenario/schema_check.h"
#include "scenario/user_files.h"

#include <QLocale>

namespace lockscope::cli {

namespace {

/// One thing of a list: for people an id and a sentence, for programs an object.
struct Item {
    QString id, sentence;
    QByteArray json;
};

/// The built-in things of a shelf, then a person's own. `load` reads one by its name; `itemOf` makes an item of one and
/// of whether it is a person's own. It complains of files that cannot be read, and leaves them out.
template <typename Load, typename ItemOf>
std::vector<Item> onShelf(scenario::Shelf shelf, const QStringList& builtin, Load load, ItemOf itemOf) {
    std::vector<Item> items;
    QStringList own = scenario::userFiles(shelf);
    erase_if(own, [&](const QString& name) {
        if (!builtin.contains(name)) return false;
        complain(tr("%1 is passed over, because “%2” is the name of a built-in one: give the file another name")
                     .arg(scenario::userFile(shelf, name), name));
        return true;
    });
    for (const QString& id : builtin + own) {
        const bool isOwn = own.contains(id);
        if (const auto thing = load(id)) {
            Item item = itemOf(id, *thing, isOwn);
            if (isOwn) item.sentence = tr("your own: %1").arg(item.sentence);
            items.push_back(std::move(item));
        } else {
            for (scenario::Problem problem : thing.error()) {
                if (isOwn) problem.file = scenario::userFile(shelf, id);
                complain(problem.toString());
            }
        }
    }
    return items;
}

std::vector<Item> scenarios() {
    const QString language = QLocale().name();
    const auto itemOf = [&](const QString& id, const scenario::Scenario& scenario, bool own) {
        JsonLine line;
        line.add("id", id)
            .add("title", scenario.titleIn(language))
            .add("summary", scenario.summaryIn(language))
            .add("recipe", scenario.recipe)
            .add("own", own);
        const QString source = scenario::scenarioSource(id), title = scenario.titleIn(language);
        if (source.isEmpty()) return Item{id, title, line.toJson()};
        line.add("source", source);
        //: A scenario's title, and the report that tells of it.
        return Item{id, tr("%1 (source: %2)").arg(title, scenario::sourceNames(source)), line.toJson()};
    };
    return onShelf(
        scenario::Shelf::Scenarios, scenario::builtinScenarios(),
        [](const QString& id) { return scenario::loadScenario(id); }, itemOf);
}

std::vector<Item> recipes() {
    std::vector<Item> items;
    std::vector<recipes::RecipeInfo> all = recipes::allRecipes();
    for (const recipes::RecipeInfo& recipe : recipes::simulatedRecipes())
        if (recipes::isExhibit(recipe.id)) all.push_back(recipe);
    for (const recipes::RecipeInfo& recipe : all) {
        const bool exhibit = recipes::isExhibit(recipe.id);
        JsonLine line;
        line.add("id", recipe.id)
            .add("backend", recipe.backend)
            .add("summary", recipe.summary)
            .add("naive", recipe.naive)
            .add("simulated_only", exhibit)
            .add("reentrant", recipe.reentrant)
            .add("watchdog", recipe.watchdog)
            .add("token", recipe.token)
            .add("fair", recipe.fair);
        const QString unsafe = exhibit        ? tr(" (unsafe: exists to be seen failing, in the simulator only)")
                               : recipe.naive ? tr(" (unsafe: exists to be seen failing)")
                                              : QString();
        items.push_back({QString::fromLatin1(recipe.id), recipe.summary + unsafe, line.toJson()});
    }
    return items;
}

/// The lessons of the course in their order, then a person's own.
std::vector<Item> lessons() {
    const QString language =
        QLocale().name().startsWith(QLatin1String("zh")) ? QStringLiteral("zh_CN") : QStringLiteral("en");
    const auto itemOf = [&](const QString& id, const lesson::Lesson& lesson, bool own) {
        JsonLine line;
        line.add("id", id)
            .add("title", lesson.title.in(language))
            .add("idea", lesson.idea.in(language))
            .add("minutes", qint64(lesson.minutes))
            .add("steps", qint64(lesson.steps.size()))
            .add("own", own);
        return Item{id, lesson.title.in(language), line.toJson()};
    };
    return onShelf(
        scenario::Shelf::Lessons, lesson::builtinLessons(), [](const QString& id) { return lesson::loadLesson(id); },
        itemOf);
}

std::vector<Item> formats() {
    struct Format {
        const char* id;
        const char* kind;
        const char* sentence;
        const char* server = ""; ///< of a lock: the kind of server where it lies; empty: Redis
    };
    // Lock formats have the names that `watch` shows.
    static const Format kFormats[] = {
        {"redisson", "lock",
         QT_TRANSLATE_NOOP(
             "cli", "Redisson's reentrant lock, also -fair, -fenced, -rw, -fastmulti, -permit, -semaphore, -latch")},
        {"lockscope", "lock", QT_TRANSLATE_NOOP("cli", "SET NX with Lockscope's own value")},
        {"redis-py", "lock", QT_TRANSLATE_NOOP("cli", "SET NX with redis-py's value")},
        {"node-redlock", "lock", QT_TRANSLATE_NOOP("cli", "SET NX with node-redlock's value")},
        {"redsync", "lock", QT_TRANSLATE_NOOP("cli", "SET NX with redsync's value")},
        {"redlock-cpp", "lock", QT_TRANSLATE_NOOP("cli", "SET NX with redlock-cpp's value")},
        {"redlock-net", "lock", QT_TRANSLATE_NOOP("cli", "SET NX with RedLock.net's value and name")},
        {"redlock-py|redislock", "lock",
         QT_TRANSLATE_NOOP("cli", "SET NX with the value of either of these, which look alike")},
        {"redislock", "lock", QT_TRANSLATE_NOOP("cli", "SET NX with redislock's value")},
        {"redislock|string", "lock",
         QT_TRANSLATE_NOOP("cli",
                           "SET NX with what may be redislock's value and metadata, under a name that locks have")},
        {"spring|redlock-rb|string", "lock",
         QT_TRANSLATE_NOOP("cli", "SET NX with a UUID under a name of parts: by Spring, redlock-rb or anybody")},
        {"redlock-rb|string", "lock", QT_TRANSLATE_NOOP("cli", "SET NX with a UUID: by redlock-rb or anybody")},
        {"python-redis-lock", "lock", QT_TRANSLATE_NOOP("cli", "SET NX with python-redis-lock's value")},
        {"redis-semaphore", "lock", QT_TRANSLATE_NOOP("cli", "the mutex and the semaphore of npm's redis-semaphore")},
        {"shedlock", "lock", QT_TRANSLATE_NOOP("cli", "ShedLock's job locks")},
        {"setnx-expiry", "lock",
         QT_TRANSLATE_NOOP("cli", "SETNX with its own end as its value, under a name that locks have")},
        {"string", "lock", QT_TRANSLATE_NOOP("cli", "another string under a name that locks have, such as lock:*")},
        {"curator-mutex", "lock", QT_TRANSLATE_NOOP("cli", "Curator's locks, also -rw, -semaphore, -latch"),
         "zookeeper"},
        {"kazoo", "lock", QT_TRANSLATE_NOOP("cli", "kazoo's lock, also -rw, -semaphore, -lease"), "zookeeper"},
        {"go-zookeeper", "lock", QT_TRANSLATE_NOOP("cli", "go-zookeeper's lock"), "zookeeper"},
        {"menagerie", "lock", QT_TRANSLATE_NOOP("cli", "Menagerie's locks, also -rw"), "zookeeper"},
        {"mixed (…)", "lock", QT_TRANSLATE_NOOP("cli", "nodes of several libraries at one path"), "zookeeper"},
        {"zk-sequential", "lock", QT_TRANSLATE_NOOP("cli", "another queue of ephemeral sequential nodes: a guess"),
         "zookeeper"},
        {"zk-recipe", "lock", QT_TRANSLATE_NOOP("cli", "ZooKeeper's own recipes, also zk-page"), "zookeeper"},
        {"zk-ephemeral", "lock", QT_TRANSLATE_NOOP("cli", "one ephemeral node: by several libraries, or anybody"),
         "zookeeper"},
        {"shedlock-zk", "lock", QT_TRANSLATE_NOOP("cli", "ShedLock's job locks"), "zookeeper"},
        {"etcd-mutex", "lock", QT_TRANSLATE_NOOP("cli", "the mutex of etcd's client and of etcdctl"), "etcd"},
        {"etcd-election", "lock", QT_TRANSLATE_NOOP("cli", "an election of etcd's client"), "etcd"},
        {"etcd-rw", "lock", QT_TRANSLATE_NOOP("cli", "the read/write lock of etcd's client"), "etcd"},
        {"shedlock", "lock", QT_TRANSLATE_NOOP("cli", "ShedLock's job locks"), "etcd"},
        {"laravel", "lock", QT_TRANSLATE_NOOP("cli", "Laravel's table cache_locks"), "sql"},
        {"int_lock", "lock",
         QT_TRANSLATE_NOOP("cli", "Spring Integration's table INT_LOCK; ?match=REGION:name shows a name for its key"),
         "sql"},
        {"liquibase", "lock", QT_TRANSLATE_NOOP("cli", "Liquibase's table DATABASECHANGELOGLOCK"), "sql"},
        {"shedlock", "lock", QT_TRANSLATE_NOOP("cli", "ShedLock's table"), "sql"},
        {"qrtz_locks", "lock", QT_TRANSLATE_NOOP("cli", "Quartz' table QRTZ_LOCKS, whose rows its schedulers lock"),
         "sql"},
        {"qrtz_scheduler", "lock",
         QT_TRANSLATE_NOOP("cli", "a Quartz scheduler's instance, held until the others count it as gone"), "sql"},
        {"table", "lock", QT_TRANSLATE_NOOP("cli", "a table of your own, named by ?table=…&name=COLUMN"), "sql"},
        {"sql-lease", "lock", QT_TRANSLATE_NOOP("cli", "Lockscope's own table, also sql-row"), "sql"},
        {"pg-advisory", "lock",
         QT_TRANSLATE_NOOP("cli",
                           "PostgreSQL's advisory locks, and what sessions wait for: pg-row, -table, -transaction"),
         "postgresql"},
        {"get-lock", "lock", QT_TRANSLATE_NOOP("cli", "named locks of GET_LOCK()"), "mysql"},
        {"innodb-row", "lock",
         QT_TRANSLATE_NOOP("cli", "rows that sessions wait for, also innodb-transaction: rows that one has locked"),
         "mysql"},
        {"mariadb-table", "lock",
         QT_TRANSLATE_NOOP("cli", "tables that sessions wait for, also mariadb-lock-tables: those of LOCK TABLES"),
         "mysql"},
        {"memcached-lease", "lock", QT_TRANSLATE_NOOP("cli", "Lockscope's own value, also memcached-add"), "memcached"},
        {"shedlock", "lock", QT_TRANSLATE_NOOP("cli", "ShedLock's job locks"), "memcached"},
        {"string", "lock", QT_TRANSLATE_NOOP("cli", "another value under a name that was asked for"), "memcached"},
        {"lockscope", "file",
         QT_TRANSLATE_NOOP("cli", "a recording, as simulate --record writes it; a SQLite database")},
        {"png", "export", QT_TRANSLATE_NOOP("cli", "the timeline as a picture")},
        {"webp", "export", QT_TRANSLATE_NOOP("cli", "the timeline as a smaller picture")},
        {"svg", "export", QT_TRANSLATE_NOOP("cli", "the timeline as a drawing")},
        {"card", "export", QT_TRANSLATE_NOOP("cli", "one page for others: picture, verdict and facts, as PDF or PNG")},
        {"scenario", "export", QT_TRANSLATE_NOOP("cli", "a scenario that repeats what happened, for the simulator")},
        {"csv", "export", QT_TRANSLATE_NOOP("cli", "all events as a table")},
        {"jsonl", "export", QT_TRANSLATE_NOOP("cli", "all events, one JSON object a line")},
        {"perfetto", "export", QT_TRANSLATE_NOOP("cli", "a trace for ui.perfetto.dev")},
        {"jepsen", "export", QT_TRANSLATE_NOOP("cli", "a history for Jepsen and Knossos, in EDN")},
    };
    std::vector<Item> items;
    for (const Format& format : kFormats) {
        JsonLine line;
        line.add("id", QByteArray(format.id)).add("kind", QByteArray(format.kind)).add("summary", tr(format.sentence));
        const bool lock = qstrcmp(format.kind, "lock") == 0;
        const QByteArray server = *format.server ? format.server : "redis";
        if (lock) line.add("server", server);
        const QString where = lock ? QString::fromLatin1(server) + QStringLiteral(": ") : QString();
        items.push_back({QString::fromUtf8(format.id), where + tr(format.sentence), line.toJson()});
    }
    return items;
}

} // namespace

int list(const QStringList& words) {
    const auto arguments =
        Arguments::parse(words, {{QStringLiteral("json"), false}, {QStringLiteral("markdown"), false}},
                         {tr("scenarios, lessons, recipes or formats")});
    if (!arguments) return misused("list", arguments.error());
    const QString what = arguments->place(0);
    if (arguments->has("markdown") && what == QLatin1String("recipes")) { // the tables in core/offers/README.md
        say(recipeTable());
        say(backendTable().chopped(1));
        return kFine;
    }
    std::vector<Item> items;
    if (what == QLatin1String("scenarios")) {
        items = scenarios();
    } else if (what == QLatin1String("recipes")) {
        items = recipes();
    } else if (what == QLatin1String("lessons")) {
        items = lessons();
    } else if (what == QLatin1String("formats")) {
        items = formats();
    } else {
        const QStringList lists{QStringLiteral("scenarios"), QStringLiteral("lessons"), QStringLiteral("recipes"),
                                QStringLiteral("formats")};
        return misused("list", tr("there is no list of “%1”%2").arg(what, scenario::suggestion(what, lists)));
    }
    if (arguments->has("json")) {
        QList<QByteArray> lines;
        for (const Item& item : items)
            lines += item.json;
        say("[\n" + lines.join(",\n") + "\n]");
        return kFine;
    }
    qsizetype width = 0;
    for (const Item& item : items)
        width = std::max(width, item.id.size());
    for (const Item& item : items)
        say(item.id.leftJustified(width + 2) + item.sentence);
    return kFine;
}

} // namespace lockscope::cli
