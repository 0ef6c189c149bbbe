// SPDX-License-Identifier: Apache-2.0
#include "recipes/sql/advisory_key.h"

#include "recipes/sql/sql_recipe.h"

#include <QCoreApplication>
#include <QCryptographicHash>
#include <QtEndian>
#include <limits>

namespace lockscope::recipes {

namespace {
/// A whole number as PostgreSQL prints it, which fits into T.
template <typename T>
std::optional<T> numberIn(const QByteArray& text) {
    bool ok = false;
    const qlonglong value = text.toLongLong(&ok);
    const bool fits = ok && value >= std::numeric_limits<T>::min() && value <= std::numeric_limits<T>::max();
    if (!fits || QByteArray::number(value) != text) return std::nullopt;
    return static_cast<T>(value);
}

std::optional<AdvisoryKey> twoIn(const QByteArray& name) {
    const QByteArrayList parts = name.split(',');
    if (parts.size() != 2) return std::nullopt;
    const auto first = numberIn<std::int32_t>(parts[0]), second = numberIn<std::int32_t>(parts[1]);
    if (!first || !second) return std::nullopt;
    const auto high = static_cast<std::uint64_t>(static_cast<std::uint32_t>(*first));
    return AdvisoryKey{static_cast<std::int64_t>(high << 32 | static_cast<std::uint32_t>(*second)), true};
}

std::unexpected<LockError> refused(const QString& sentence) {
    return std::unexpected(LockError{LockError::Kind::Refused, sentence});
}
} // namespace

QByteArray AdvisoryKey::arguments() const {
    return two ? "CAST(? AS integer), CAST(? AS integer)" : "?";
}

sql::Values AdvisoryKey::values() const {
    if (!two) return valuesOf(number);
    const auto bits = static_cast<std::uint64_t>(number);
    return valuesOf(std::int64_t(static_cast<std::int32_t>(bits >> 32)),
                    std::int64_t(static_cast<std::int32_t>(bits & 0xffffffffU)));
}

QByteArray AdvisoryKey::heldRows() {
    return "locktype = 'advisory' AND granted AND ((classid::bigint << 32) | objid::bigint) = ? AND objsubid = ? "
           "AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";
}

sql::Values AdvisoryKey::heldValues() const {
    return valuesOf(number, std::int64_t(two ? 2 : 1)); // so pg_locks tells the two kinds apart
}

std::int64_t hashedKey(const QByteArray& name) {
    const QByteArray digest = QCryptographicHash::hash(name, QCryptographicHash::Sha256);
    return qFromBigEndian<qint64>(digest.constData());
}

std::expected<AdvisoryKey, LockError> advisoryKeyOf(const QByteArray& name, sql::KeyKind kind) {
    const QString shown = QString::fromUtf8(name);
    switch (kind) {
    case sql::KeyKind::Hash:
        return AdvisoryKey{hashedKey(name)};
    case sql::KeyKind::Usual:
        return AdvisoryKey{numberIn<std::int64_t>(name).value_or(hashedKey(name))};
    case sql::KeyKind::Number:
        if (const auto number = numberIn<std::int64_t>(name)) return AdvisoryKey{*number};
        return refused(QCoreApplication::translate("LockError", "The name “%1” is no 64-bit number, and the URL says "
                                                                "key=number; write for example 4242, or leave the "
                                                                "option out to have names hashed.")
                           .arg(shown));
    case sql::KeyKind::TwoInt:
        if (const auto two = twoIn(name)) return *two;
        return refused(QCoreApplication::translate("LockError", "The name “%1” is not two 32-bit numbers, and the URL "
                                                                "says key=two-int; write for example 12,34.")
                           .arg(shown));
    }
    return refused(shown);
}

} // namespace lockscope::recipes
