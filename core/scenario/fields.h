// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "scenario/schema_check.h"
#include "scenario/settings.h"
#include "trace/json_positions.h"

#include <QJsonArray>

namespace lockscope::scenario {

/// Reads fields of one object; what is not there leaves its default alone.
class Fields {
public:
    Fields(const QJsonValue& value, QString path, std::vector<Complaint>& complaints)
        : m_object(value.toObject()), m_path(std::move(path)), m_complaints(complaints) {}

    bool has(QLatin1String key) const { return m_object.contains(key); }
    const QString& path() const { return m_path; }
    /// About the object as a whole.
    void complain(const QString& message) const { m_complaints.push_back({m_path, message}); }
    /// About one of its fields, or a value inside of it.
    void complain(const QString& path, const QString& message) const { m_complaints.push_back({path, message}); }
    std::vector<Complaint>& complaints() const { return m_complaints; }
    /// The path of one of its fields.
    QString at(QLatin1String key) const { return m_path + pointerStep(key); }
    QJsonValue operator[](QLatin1String key) const { return m_object[key]; }
    /// The fields of an object in it.
    Fields in(QLatin1String key) const { return {m_object[key], at(key), m_complaints}; }
    /// Calls back with the fields of each object in a list.
    template <typename Use>
    void each(QLatin1String list, Use use) const {
        const QJsonArray entries = m_object[list].toArray();
        for (qsizetype i = 0; i < entries.size(); ++i)
            use(Fields(entries[i], at(list) + QStringLiteral("/%1").arg(i), m_complaints));
    }

    void text(QLatin1String key, QString& to) const {
        if (has(key)) to = m_object[key].toString();
    }
    void flag(QLatin1String key, bool& to) const {
        if (has(key)) to = m_object[key].toBool();
    }
    void number(QLatin1String key, int& to) const {
        if (has(key)) to = m_object[key].toInt();
    }
    /// `word` stands for `special`.
    void duration(QLatin1String key, Nanos& to, QLatin1String word = {}, Nanos special = {}) const {
        if (!has(key)) return;
        const QString text = m_object[key].toString();
        to = !word.isEmpty() && text == word ? special : parsed(text, at(key));
    }
    void duration(QLatin1String key, std::optional<Nanos>& to, QLatin1String word = {}, Nanos special = {}) const {
        if (!has(key)) return;
        to = Nanos();
        duration(key, *to, word, special);
    }
    void range(QLatin1String key, Range& to) const;
    void words(QLatin1String key, QStringList& to) const {
        for (const QJsonValue& word : m_object[key].toArray())
            to += word.toString();
    }
    /// A text, or texts by language of which English is the plain one.
    void texts(QLatin1String key, QString& plain, std::map<QString, QString>& byLanguage) const {
        const QJsonValue value = m_object[key];
        if (value.isString()) plain = value.toString();
        const QJsonObject object = value.toObject();
        for (auto it = object.begin(); it != object.end(); ++it) {
            if (it.key() == QLatin1String("en"))
                plain = it->toString();
            else
                byLanguage[it.key()] = it->toString();
        }
    }

private:
    Nanos parsed(const QString& text, const QString& path) const;

    QJsonObject m_object;
    QString m_path;
    std::vector<Complaint>& m_complaints;
};

/// The value whose id is the field's text.
template <typename Enum>
void choice(const Fields& fields, QLatin1String key, QByteArray (*id)(Enum), Enum last, Enum& to) {
    for (int i = 0; i <= int(last); ++i)
        if (fields[key].toString().toUtf8() == id(Enum(i))) to = Enum(i);
}

/// Reads one setting of the table; what is not there leaves its default alone.
void readSetting(const Fields& fields, const Setting& setting, Scenario& scenario);

} // namespace lockscope::scenario
