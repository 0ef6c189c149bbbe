// SPDX-License-Identifier: Apache-2.0
// `lockscope list formats` names the formats that the recognisers write into rows, and no others.
#include "source_tree.h"

#include <QRegularExpression>
#include <QTest>
#include <set>

using namespace lockscope::rules;

class tst_format_rules : public QObject {
    Q_OBJECT
private:
    static QString textOf(const SourceFile& file) { return file.lines.join(QLatin1Char('\n')); }
    static std::set<QString> literalsIn(const QString& text) {
        static const QRegularExpression kLiteral(QStringLiteral("\"([a-z][a-z0-9_|-]*)\""));
        std::set<QString> all;
        for (auto matches = kLiteral.globalMatch(text); matches.hasNext();)
            all.insert(matches.next().captured(1));
        return all;
    }

    /// The formats of rows: what the functions that make rows are given, and what is assigned to LockRow::format.
    static std::set<QString> written() {
        static const QRegularExpression kMade(QStringLiteral(
            "\\b(?:heldRow|permitRow|zkRow|zkQueueRow|sessionLock|heldLock|etcdRow|memcachedRow|return of|"
            "StringLock|recipe !=|QByteArray format =|k\\w+Format\\[\\] =|\\.format =)[\\s({]*[^;]*;"));
        std::set<QString> all;
        for (const SourceFile& file :
             filesBelow({QStringLiteral("core/inspect")}, {QStringLiteral("*.cpp"), QStringLiteral("*.h")})) {
            if (file.path.endsWith(QLatin1String("releaser.cpp"))) continue; // names its scripts
            const QString text = textOf(file);
            for (auto matches = kMade.globalMatch(text); matches.hasNext();)
                all.merge(literalsIn(matches.next().captured()));
        }
        all.erase(QStringLiteral("relation")); // what PostgreSQL calls a table
        all.erase(QStringLiteral("mixed"));    // becomes "mixed (…)"
        return all;
    }

    /// The formats of the list, with those that its sentences add: "redisson, also -fair", "zk-recipe, also zk-page".
    static std::set<QString> listed() {
        static const QRegularExpression kLine(QStringLiteral(
            "\\{\"([^\"]+)\",\\s*\"lock\",\\s*QT_TRANSLATE_NOOP\\(\\s*\"cli\",\\s*((?:\"[^\"]*\"\\s*)+)\\)"));
        static const QRegularExpression kWord(QStringLiteral("(?<![a-z0-9])(-?[a-z][a-z-]*)"));
        std::set<QString> all;
        for (const SourceFile& file : filesBelow({QStringLiteral("app/cli")}, {QStringLiteral("list.cpp")})) {
            const QString text = textOf(file);
            for (auto lines = kLine.globalMatch(text); lines.hasNext();) {
                const auto line = lines.next();
                const QString id = line.captured(1), sentence = line.captured(2);
                all.insert(id);
                const qsizetype also =
                    std::max(sentence.indexOf(QLatin1String("also ")), sentence.indexOf(QLatin1String("wait for: ")));
                if (also < 0) continue;
                for (auto words = kWord.globalMatch(sentence.mid(also)); words.hasNext();) {
                    const QString word = words.next().captured(1);
                    const QString base = id.section(QLatin1Char('-'), 0, 0);
                    if (word.startsWith(QLatin1Char('-')))
                        all.insert(base + word);
                    else if (word.contains(QLatin1Char('-')))
                        all.insert(word);
                }
            }
        }
        all.erase(QStringLiteral("mixed (…)"));
        return all;
    }
    static QByteArray missing(const std::set<QString>& from, const std::set<QString>& in) {
        QStringList names;
        for (const QString& name : from)
            if (!in.contains(name)) names << name;
        return names.join(QLatin1String(", ")).toUtf8();
    }

private Q_SLOTS:
    void theListNamesWhatRowsSay() {
        const std::set<QString> inRows = written(), inList = listed();
        QVERIFY2(inRows.size() > 40 && inRows.contains(QStringLiteral("redisson-fastmulti")) &&
                     inRows.contains(QStringLiteral("pg-transaction")),
                 "the sources are read otherwise than they are written");
        QCOMPARE(missing(inRows, inList), QByteArray()); // rows say it, and the list does not
        QCOMPARE(missing(inList, inRows), QByteArray()); // no row says it
    }
};

QTEST_APPLESS_MAIN(tst_format_rules)
#include "tst_format_rules.moc"
