// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QByteArray>
#include <QJsonArray>
#include <QJsonObject>
#include <QJsonValue>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

namespace lockscope::inspect {

/// The content of a key: JSON, or the server's bytes, which become JSON only where somebody reads them. A simulation
/// looks at whole queues at every change of a lock, and few of these looks are ever shown. Copies share long contents.
class RawValue {
public:
    using List = std::vector<QByteArray>;
    using Fields = std::vector<std::pair<QByteArray, QByteArray>>;
    using Scores = std::vector<std::pair<QByteArray, double>>;

    /// Null: nothing of it was read.
    RawValue() = default;
    // NOLINTBEGIN(google-explicit-constructor): a key is written down with whatever JSON it has
    RawValue(QJsonValue json) : m_content(std::move(json)) {}
    RawValue(const QString& text) : m_content(QJsonValue(text)) {}
    RawValue(const QJsonArray& array) : m_content(QJsonValue(array)) {}
    RawValue(const QJsonObject& object) : m_content(QJsonValue(object)) {}
    // NOLINTEND(google-explicit-constructor)

    static RawValue ofText(QByteArray text) { return RawValue(Content(std::move(text))); }
    static RawValue ofList(List list) { return shared(std::move(list)); }
    /// Becomes an object.
    static RawValue ofFields(Fields fields) { return shared(std::move(fields)); }
    /// Becomes an object of numbers.
    static RawValue ofScores(Scores scores) { return shared(std::move(scores)); }

    /// As JSON, with every text as readable() has it.
    QJsonValue json() const;
    // The bytes; nullptr: it is something else.
    const QByteArray* text() const { return std::get_if<QByteArray>(&m_content); }
    const List* list() const { return bytes<List>(); }
    const Fields* fields() const { return bytes<Fields>(); }
    const Scores* scores() const { return bytes<Scores>(); }

    /// Whether both are the same JSON.
    friend bool operator==(const RawValue& a, const RawValue& b);

private:
    template <typename T>
    using Shared = std::shared_ptr<const T>;
    using Content = std::variant<QJsonValue, QByteArray, Shared<List>, Shared<Fields>, Shared<Scores>>;

    explicit RawValue(Content content) : m_content(std::move(content)) {}
    template <typename T>
    static RawValue shared(T bytes) {
        return RawValue(Content(std::make_shared<const T>(std::move(bytes))));
    }
    template <typename T>
    const T* bytes() const {
        const Shared<T>* const content = std::get_if<Shared<T>>(&m_content);
        return content ? content->get() : nullptr;
    }

    Content m_content = QJsonValue(QJsonValue::Null);
};

} // namespace lockscope::inspect
