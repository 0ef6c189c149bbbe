// SPDX-License-Identifier: Apache-2.0
#include "trace/json_edit.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

using namespace lockscope;

namespace {

// Written by a person: fields in an order and with spaces of their own.
const QByteArray kText = R"({
  "title": "x",
    "id":   "a",
  "lock": { "lease": "5s", "name": "o" },
  "faults": [
    {"at": "1s"},  {"at": "2s",
      "do": "z"},
    {"at": "3s"}
  ]
}
)";

QJsonObject read(const QByteArray& json) {
    QJsonParseError error;
    const QJsonObject object = QJsonDocument::fromJson(json, &error).object();
    if (error.error != QJsonParseError::NoError) qWarning("%s", qPrintable(error.errorString()));
    return object;
}

} // namespace

class tst_json_edit : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aValueIsReplacedAndNothingElse() {
        const QByteArray edited = withValue(kText, QStringLiteral("/faults/1/at"), QStringLiteral("2500ms"));
        QCOMPARE(edited, QByteArray(kText).replace("\"2s\"", "\"2500ms\""));
    }

    void aMissingFieldComesLastWithItsObjects() {
        const QByteArray edited = withValue(kText, QStringLiteral("/network/loss_per_mille"), 5);
        QVERIFY(edited.contains("\n  ],\n  \"network\": { \"loss_per_mille\": 5 }\n}"));
        QVERIFY(edited.startsWith(kText.left(kText.indexOf(']'))));
        QJsonObject expected = read(kText);
        expected[u"network"] = QJsonObject{{QStringLiteral("loss_per_mille"), 5}};
        QCOMPARE(read(edited), expected);
        // In an object on one line: on that line.
        QVERIFY(withValue(kText, QStringLiteral("/lock/token"), true, {QStringLiteral("name"), QStringLiteral("lease")})
                    .contains("{ \"name\": \"o\", \"lease\": \"5s\", \"token\": true }"));
    }

    void aListGrowsAtItsEnd() {
        const QJsonObject fault{{QStringLiteral("at"), QStringLiteral("9s")}};
        const QByteArray edited = withValue(kText, QStringLiteral("/faults/3"), fault);
        QCOMPARE(read(edited)[u"faults"].toArray().size(), 4);
        QCOMPARE(read(edited)[u"faults"][3].toObject(), fault);
        const QByteArray first = withValue(R"({"id": "a"})", QStringLiteral("/faults/0"), fault);
        QCOMPARE(read(first)[u"faults"][0].toObject(), fault);
    }

    void removed_data() {
        QTest::addColumn<QString>("pointer");
        for (const char* pointer : {"/title", "/id", "/faults", "/lock/lease", "/lock/name"})
            QTest::newRow(pointer) << QString::fromLatin1(pointer);
    }
    void removed() {
        QFETCH(QString, pointer);
        const QStringList steps = pointer.split(u'/', Qt::SkipEmptyParts);
        QJsonObject expected = read(kText);
        if (steps.size() == 1) {
            expected.remove(steps[0]);
        } else {
            QJsonObject inner = expected[steps[0]].toObject();
            inner.remove(steps[1]);
            expected[steps[0]] = inner;
        }
        QCOMPARE(read(withoutValue(kText, pointer)), expected);
    }

    void theOnlyFieldLeavesAnEmptyObject() {
        QCOMPARE(withoutValue(R"({"a": {"b": 1}})", QStringLiteral("/a/b")), R"({"a": {}})");
        QCOMPARE(withoutValue(kText, QStringLiteral("/no/such")), kText);
    }

    void elementsInAnotherOrder() {
        const QByteArray edited = withElements(kText, QStringLiteral("/faults"), {2, 0, 1, 1});
        const QJsonArray faults = read(edited)[u"faults"].toArray();
        QCOMPARE(faults.size(), 4);
        QCOMPARE(faults[0][u"at"].toString(), QStringLiteral("3s"));
        QCOMPARE(faults[1][u"at"].toString(), QStringLiteral("1s"));
        QCOMPARE(faults[3], faults[2]);
        QVERIFY(edited.contains("{\"at\": \"2s\",\n      \"do\": \"z\"}")); // as it was written
        QCOMPARE(read(withElements(kText, QStringLiteral("/faults"), {}))[u"faults"].toArray().size(), 0);
        QCOMPARE(withElements(kText, QStringLiteral("/lock"), {0}), kText);
        QCOMPARE(read(withElements(kText, QStringLiteral("/faults"), {-1, 7}))[u"faults"].toArray().size(), 0);
    }

    void keysWithSlashesAndLettersOfAllKinds() {
        const QByteArray edited = withValue(kText, QStringLiteral("/expect/a~1b~0c/中"), QStringLiteral("“值”\n"));
        QCOMPARE(read(edited)[u"expect"][u"a/b~c"][u"中"].toString(), QStringLiteral("“值”\n"));
    }

    void theOrderIsTheSchemas() {
        QCOMPARE(fieldOrder(R"({"properties": {"b": {}, "a": {"properties": {"z": {}}}}, "definitions":
                               {"x": {"properties": {"a": {}, "c": {}}}}})"),
                 (QStringList{QStringLiteral("b"), QStringLiteral("a"), QStringLiteral("z"), QStringLiteral("c")}));
    }

    /// A text that is written down is read back as it was.
    void longValuesAreBroken() {
        QJsonArray list;
        for (int i = 0; i < 30; ++i)
            list += QJsonObject{{QStringLiteral("at"), QStringLiteral("%1s").arg(i)}, {QStringLiteral("n"), i}};
        const QJsonObject object{{QStringLiteral("list"), list}, {QStringLiteral("x"), QJsonValue::Null}};
        const QByteArray text = jsonText(object);
        QCOMPARE(read(text), object);
        for (const QByteArray& line : text.split('\n'))
            QVERIFY(line.size() < 120);
    }
};

QTEST_GUILESS_MAIN(tst_json_edit)
#include "tst_json_edit.moc"
