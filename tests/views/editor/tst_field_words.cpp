// SPDX-License-Identifier: GPL-3.0-or-later
// The words of the editor's fields name fields and values of the published schemas, and leave out none of a field.
#include "editor/field_words.h"
#include "lesson/lesson_file.h"
#include "scenario/scenario_file.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>
#include <map>
#include <set>

using namespace lockscope;
using namespace lockscope::views;

namespace {

/// Each field of a schema with the values that it lists, wherever in the schema the field stands.
using Fields = std::map<QString, std::set<QString>>;

QJsonObject resolved(const QJsonObject& root, const QJsonObject& node) {
    const QString definition = node[u"$ref"].toString().section(u'/', -1);
    return definition.isEmpty() ? node : root[u"definitions"][definition].toObject();
}

void collect(const QJsonObject& root, const QJsonValue& at, Fields& fields) {
    for (const QJsonValue& one : at.toArray())
        collect(root, one, fields);
    const QJsonObject object = at.toObject();
    const QJsonObject properties = object[u"properties"].toObject();
    for (auto it = properties.begin(); it != properties.end(); ++it) {
        std::set<QString>& values = fields[it.key()];
        for (const QJsonValue& value : resolved(root, it->toObject())[u"enum"].toArray())
            if (value.isString()) values.insert(value.toString());
    }
    for (const QJsonValue& one : object)
        collect(root, one, fields);
}

Fields published() {
    Fields fields;
    for (const QByteArray& text : {scenario::scenarioSchema(2), lesson::lessonSchema()}) {
        const QJsonObject root = QJsonDocument::fromJson(text).object();
        collect(root, root, fields);
    }
    // The lessons' schema leaves the kinds of rows to the trace.
    for (const QString& kind : rowKinds())
        fields[QStringLiteral("on")].insert(kind);
    fields[QStringLiteral("on")].insert(QStringLiteral("violated"));
    return fields;
}

} // namespace

class tst_field_words : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyWordNamesAField() {
        const Fields fields = published();
        std::set<QString> seen;
        for (const QString& key : wordedFields()) {
            QVERIFY2(fields.contains(key), qPrintable(key));
            QVERIFY2(seen.insert(key).second, qPrintable(key + QStringLiteral(" stands twice")));
        }
    }

    void everyWordNamesAValue() {
        const Fields fields = published();
        for (const auto& [key, value] : wordedChoices()) {
            const auto field = fields.find(key);
            QVERIFY2(field != fields.end() && field->second.contains(value), qPrintable(key + u' ' + value));
        }
    }

    /// A field of which one value has words has words for all of them. Kinds of rows have those of the events panel, of
    /// which some are their words in the file.
    void noValueIsLeftOut() {
        const Fields fields = published();
        for (const auto& [key, value] : wordedChoices()) {
            if (key == QLatin1String("on")) continue;
            for (const QString& other : fields.at(key))
                QVERIFY2(choiceWords(key, other) != other, qPrintable(key + u' ' + other));
        }
    }

    void momentsAndClaimsAreToldInWords() {
        const QString english = QStringLiteral("en");
        const QJsonObject moment{{QStringLiteral("id"), QStringLiteral("stop")},
                                 {QStringLiteral("on"), QStringLiteral("client-paused")},
                                 {QStringLiteral("who"), QStringLiteral("H")}};
        QCOMPARE(elementWords(moment, english), QStringLiteral("stop · A client pauses · H"));
        const QJsonObject claim{{QStringLiteral("fact"), QStringLiteral("violated")},
                                {QStringLiteral("invariant"), QStringLiteral("mutual-exclusion")},
                                {QStringLiteral("is"), true}};
        QCOMPARE(elementWords(claim, english),
                 QStringLiteral("an invariant is violated · %1 · is true")
                     .arg(choiceWords(QStringLiteral("invariant"), QStringLiteral("mutual-exclusion"))
                              .section(QStringLiteral(" · "), 0, 0)));
    }
};

QTEST_MAIN(tst_field_words)
#include "tst_field_words.moc"
