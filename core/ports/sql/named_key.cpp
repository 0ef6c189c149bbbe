// SPDX-License-Identifier: Apache-2.0
#include "ports/sql/named_key.h"

#include <QCoreApplication>
#include <QCryptographicHash>
#include <QtEndian>
#include <limits>

namespace lockscope::sql {

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

std::optional<NamedKey> twoIn(const QByteArray& name) {
    const QByteArrayList parts = name.split(',');
    if (parts.size() != 2) return std::nullopt;
    const auto first = numberIn<std::int32_t>(parts[0]), second = numberIn<std::int32_t>(parts[1]);
    if (!first || !second) return std::nullopt;
    const auto high = static_cast<std::uint64_t>(static_cast<std::uint32_t>(*first));
    return NamedKey{name, static_cast<std::int64_t>(high << 32 | static_cast<std::uint32_t>(*second)), true};
}

std::unexpected<Error> refused(const QString& sentence) {
    return std::unexpected(Error{Error::Kind::Refused, {}, sentence});
}
} // namespace

std::int64_t hashedKey(const QByteArray& name) {
    const QByteArray digest = QCryptographicHash::hash(name, QCryptographicHash::Sha256);
    return qFromBigEndian<qint64>(digest.constData());
}

std::expected<NamedKey, Error> advisoryKeyOf(const QByteArray& name, KeyKind kind) {
    const QString shown = QString::fromUtf8(name);
    switch (kind) {
    case KeyKind::Hash:
        return NamedKey{name, hashedKey(name)};
    case KeyKind::Usual:
        return NamedKey{name, numberIn<std::int64_t>(name).value_or(hashedKey(name))};
    case KeyKind::Number:
        if (const auto number = numberIn<std::int64_t>(name)) return NamedKey{name, *number};
        return refused(QCoreApplication::translate("LockError", "The name “%1” is no 64-bit number, and the URL says "
                                                                "key=number; write for example 4242, or leave the "
                                                                "option out to have names hashed.")
                           .arg(shown));
    case KeyKind::TwoInt:
        if (const auto two = twoIn(name)) return *two;
        return refused(QCoreApplication::translate("LockError", "The name “%1” is not two 32-bit numbers, and the URL "
                                                                "says key=two-int; write for example 12,34.")
                           .arg(shown));
    }
    return refused(shown);
}

std::optional<NamedKey> listedKey(const QByteArray& name) {
    if (const auto number = numberIn<std::int64_t>(name)) return NamedKey{name, *number};
    return twoIn(name);
}

} // namespace lockscope::sql
