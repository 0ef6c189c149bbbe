// SPDX-License-Identifier: Apache-2.0
#include "scenario/schema_check.h"

#include "scenario/json_document.h"
#include "scenario/scenario_file.h"
#include "trace/json_positions.h"

#define VALIJSON_USE_EXCEPTIONS 1
#include <valijson/adapters/qtjson_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

namespace lockscope::scenario {

namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("scenario", text);
}

QString shortened(const QString& text, qsizetype longest = 40) {
    return text.size() <= longest ? text : text.left(longest - 1) + QStringLiteral("…");
}

QString quoted(const QJsonValue& value) {
    if (value.isString()) return QStringLiteral("“%1”").arg(shortened(value.toString(), 200));
    const QByteArray text = QJsonDocument(QJsonArray{value}).toJson(QJsonDocument::Compact);
    return shortened(QString::fromUtf8(text.mid(1, text.size() - 2)));
}

/// The form of a value of a named definition of the schema.
QString rightForm(const QString& definition) {
    if (definition == QLatin1String("duration")) return tr("a time with a unit, such as \"5s\", \"250ms\" or \"1.5h\"");
    if (definition == QLatin1String("signed-duration"))
        return tr("a time with a unit and perhaps a minus sign, such as \"5s\" or \"-250ms\"");
    if (definition == QLatin1String("duration-or-off")) return tr("a time with a unit, such as \"10s\", or \"off\"");
    if (definition == QLatin1String("duration-or-forever"))
        return tr("a time with a unit, such as \"10s\", or \"forever\"");
    if (definition == QLatin1String("range"))
        return tr("a time, such as \"3s\", or two of them, such as [\"2s\", \"4s\"]");
    if (definition == QLatin1String("time-of-a-step"))
        return tr("a time, such as \"3s\", two of them, such as [\"2s\", \"4s\"], or true");
    if (definition == QLatin1String("locks-of-a-step")) return tr("the name of a lock, a list of such names, or true");
    if (definition == QLatin1String("id")) return tr("lower-case words joined by hyphens, such as \"redis-set\"");
    if (definition == QLatin1String("name")) return tr("a text of 1 to 200 characters");
    if (definition == QLatin1String("texts"))
        return tr("a text, or an object of texts by language with \"en\" among them");
    if (definition == QLatin1String("both-languages"))
        return tr("an object with a text for \"en\" and one for \"zh_CN\"");
    if (definition == QLatin1String("instant"))
        return tr("a time such as \"6.4s\", \"here\", \"end\", or a moment, perhaps with a time added: \"wake+300ms\"");
    return {};
}

QString typeForm(const QString& type) {
    if (type == QLatin1String("object")) return tr("an object, { … }");
    if (type == QLatin1String("array")) return tr("a list, [ … ]");
    if (type == QLatin1String("string")) return tr("a text");
    if (type == QLatin1String("boolean")) return tr("true or false");
    if (type == QLatin1String("integer")) return tr("a whole number");
    return type;
}

bool hasType(const QJsonValue& value, const QString& type) {
    if (type == QLatin1String("object")) return value.isObject();
    if (type == QLatin1String("array")) return value.isArray();
    if (type == QLatin1String("string")) return value.isString();
    if (type == QLatin1String("boolean")) return value.isBool();
    return value.isDouble();
}

/// A node of the schema, and the definition that it is a use of.
struct Node {
    QJsonObject rules;
    QString definition;
};

/// Puts the validator's findings into words. The validator alone decides what is right; this class looks at the same
/// place with the same schema to say what would be right.
class Explainer {
public:
    explicit Explainer(QJsonObject schema) : m_schema(std::move(schema)) {}

    Node root() const { return {m_schema, {}}; }

    /// The node for one step further down into `value`; no rules when the schema says nothing about it.
    Node step(const Node& node, const QString& key, const QJsonValue& value) const {
        const QJsonObject rules = alternative(node.rules, value);
        if (value.isArray()) return resolve(rules[u"items"]);
        const QJsonObject properties = rules[u"properties"].toObject();
        return resolve(properties.contains(key) ? properties[key] : rules[u"additionalProperties"]);
    }

    /// Paths are from `value` on: empty, or the step to a field that should not be there. `said`: the value in words.
    std::vector<Complaint> complaints(const Node& node, const QJsonValue& value, const QString& said) const {
        if (!value.isObject() || !hasRightType(node, value)) return about(complaintsOfValue(node, value, said));
        return keys(alternative(node.rules, value), value.toObject());
    }

private:
    static std::vector<Complaint> about(const QStringList& messages) {
        std::vector<Complaint> found;
        for (const QString& message : messages)
            found.push_back({{}, message});
        return found;
    }

    bool hasRightType(const Node& node, const QJsonValue& value) const {
        const QJsonObject rules = alternative(node.rules, value);
        const QJsonValue type = rules[u"type"];
        return (!type.isString() || hasType(value, type.toString())) && !rules[u"enum"].isArray();
    }

    QStringList complaintsOfValue(const Node& node, const QJsonValue& value, const QString& said) const {
        const QJsonObject rules = alternative(node.rules, value);
        if (const QJsonValue type = rules[u"type"]; type.isString() && !hasType(value, type.toString())) {
            const QString form = rightForm(node.definition);
            return {tr("%1 should be %2").arg(said, form.isEmpty() ? typeForm(type.toString()) : form)};
        }
        if (const QJsonValue allowed = rules[u"enum"]; allowed.isArray())
            return unknownWord(allowed.toArray(), value, said);
        if (value.isArray()) return length(node, rules, value);
        if (value.isDouble()) return bounds(rules, said);
        if (value.toString().isEmpty()) return {tr("this text is empty: write it")};
        return {tr("%1 should be %2").arg(said, rightForm(node.definition))};
    }

    Node resolve(const QJsonValue& rules) const {
        const QString reference = rules[u"$ref"].toString();
        if (reference.isEmpty()) return {rules.toObject(), {}};
        const QString name = reference.section(QLatin1Char('/'), -1);
        return {m_schema[u"definitions"][name].toObject(), name};
    }

    /// The alternative of an anyOf that has the value's type: the one that its author meant. With none, the first,
    /// whose complaint then speaks for all.
    QJsonObject alternative(const QJsonObject& rules, const QJsonValue& value) const {
        const QJsonArray options = rules[u"anyOf"].toArray();
        if (options.isEmpty()) return rules;
        for (const QJsonValue& option : options) {
            const QJsonObject resolved = resolve(option).rules;
            if (hasType(value, resolved[u"type"].toString())) return resolved;
        }
        return resolve(options[0]).rules;
    }

    static QStringList unknownWord(const QJsonArray& allowed, const QJsonValue& value, const QString& said) {
        QStringList words;
        for (const QJsonValue& word : allowed)
            words += word.isString() ? word.toString() : quoted(word);
        if (!value.isString() || words.size() == 1) {
            return {tr("%1 should be %2").arg(said, words.join(tr(" or ")))};
        }
        return {tr("%1 is not known here%2").arg(said, suggestion(value.toString(), words))};
    }

    static std::vector<Complaint> keys(const QJsonObject& rules, const QJsonObject& object) {
        std::vector<Complaint> found;
        const QJsonObject properties = rules[u"properties"].toObject();
        QString guesses; // a misspelt field is not told a second time as a missing one
        for (const QString& key : object.keys()) {
            if (rules[u"additionalProperties"] == QJsonValue(false) && !properties.contains(key)) {
                const QString guess = suggestion(key, properties.keys());
                guesses += guess;
                found.push_back({pointerStep(key), tr("there is no field “%1” here%2").arg(key, guess)});
            }
        }
        for (const QJsonValue& needed : rules[u"required"].toArray()) {
            const QString field = needed.toString();
            if (!object.contains(field) && !guesses.contains(QStringLiteral("“%1”").arg(field))) {
                found.push_back({{}, tr("the field “%1” is missing").arg(field)});
            }
        }
        return found;
    }

    static QStringList length(const Node& node, const QJsonObject& rules, const QJsonValue& value) {
        const qsizetype size = value.toArray().size();
        const bool tooFew = rules.contains(u"minItems") && size < rules[u"minItems"].toInt();
        const bool tooMany = rules.contains(u"maxItems") && size > rules[u"maxItems"].toInt();
        if (!tooFew && !tooMany) return {}; // an item is to blame, and has its own complaint
        const QString form = rightForm(node.definition);
        if (!form.isEmpty()) return {tr("%1 should be %2").arg(quoted(value), form)};
        return {tooMany ? tr("there can be no more than one so far") : tr("at least one is needed")};
    }

    static QStringList bounds(const QJsonObject& rules, const QString& said) {
        if (!rules.contains(u"minimum") && !rules.contains(u"maximum")) return {};
        if (!rules.contains(u"maximum")) {
            return {tr("%1 should be a whole number from %2 on").arg(said, quoted(rules[u"minimum"]))};
        }
        return {tr("%1 should be a whole number from %2 to %3")
                    .arg(said, quoted(rules[u"minimum"]), quoted(rules[u"maximum"]))};
    }

    QJsonObject m_schema;
};

/// The validator's way of naming a place, "<root>", "[faults]", "[0]", as keys.
QStringList stepsOf(const std::vector<std::string>& context) {
    QStringList steps;
    for (const std::string& part : context) {
        QString step = QString::fromStdString(part);
        if (step == QLatin1String("<root>")) continue;
        if (step.startsWith(QLatin1Char('[')) && step.endsWith(QLatin1Char(']'))) step = step.mid(1, step.size() - 2);
        steps += step;
    }
    return steps;
}

QJsonValue child(const QJsonValue& value, const QString& key) {
    return value.isArray() ? value.toArray().at(key.toInt()) : value.toObject().value(key);
}

} // namespace

std::vector<Complaint> checkAgainstSchema(const JsonDocument& document) {
    const QJsonValue version = document.object()[u"lockscope"];
    if (!version.isUndefined() && version != 1 && version != 2)
        return {
            {QStringLiteral("/lockscope"), tr("%1 should be 1 or 2, the versions of such files").arg(quoted(version))}};
    return checkAgainstSchema(document, scenarioSchema(version.toInt()));
}

std::vector<Complaint> checkAgainstSchema(const JsonDocument& document, const QByteArray& schemaJson) {
    const QJsonObject schemaText = QJsonDocument::fromJson(schemaJson).object();
    valijson::Schema schema;
    valijson::SchemaParser parser;
    const QJsonValue schemaValue(schemaText);
    parser.populateSchema(valijson::adapters::QtJsonAdapter(schemaValue), schema);

    const QJsonValue value(document.object());
    valijson::Validator validator(valijson::Validator::kStrongTypes);
    valijson::ValidationResults results;
    if (validator.validate(schema, valijson::adapters::QtJsonAdapter(value), &results)) return {};

    const Explainer explainer(schemaText);
    std::vector<Complaint> complaints;
    std::set<QString> seen;
    for (const auto& error : results) {
        Node node = explainer.root();
        QJsonValue here = value;
        QString path;
        for (const QString& key : stepsOf(error.context)) {
            node = explainer.step(node, key, here);
            here = child(here, key);
            path += pointerStep(key);
        }
        if (!seen.insert(path).second) continue; // parents fail along with their children, alternatives one by one
        // A parser keeps some 16 digits of a large number.
        const QString number = here.isDouble() ? document.written(path) : QString();
        for (const Complaint& complaint :
             explainer.complaints(node, here, number.isEmpty() ? quoted(here) : shortened(number)))
            complaints.push_back({path + complaint.path, complaint.message});
    }
    if (complaints.empty()) { // never silent, even when the words are not ours
        const auto& first = *results.begin();
        complaints.push_back({QString(), QString::fromStdString(first.description)});
    }
    return complaints;
}

} // namespace lockscope::scenario
