// SPDX-License-Identifier: Apache-2.0
#include "drivers/net/tls_configuration.h"

#include <QCoreApplication>
#include <QFile>
#include <QSslCertificate>
#include <QSslKey>

namespace lockscope::net {

namespace {

struct Text {
    Q_DECLARE_TR_FUNCTIONS(TlsFiles)
};

std::expected<QByteArray, QString> contentOf(const QString& name) {
    QFile file(name);
    if (!file.open(QIODevice::ReadOnly))
        return std::unexpected(Text::tr("The file %1 can not be read: %2.").arg(name, file.errorString()));
    return file.readAll();
}

std::expected<QList<QSslCertificate>, QString> certificatesIn(const QString& name) {
    const auto content = contentOf(name);
    if (!content) return std::unexpected(content.error());
    auto certificates = QSslCertificate::fromData(*content, QSsl::Pem);
    if (certificates.isEmpty())
        return std::unexpected(Text::tr("The file %1 holds no certificate in PEM format.").arg(name));
    return certificates;
}

/// The key's algorithm, as its file names it. Trying one algorithm after the other would not do: OpenSSL keeps the
/// errors of failed tries in a queue, and the next connection of this thread that reads takes them for its own failure.
std::optional<QSsl::KeyAlgorithm> algorithmOf(const QByteArray& pem) {
    if (pem.contains("ENCRYPTED")) return std::nullopt;
    if (pem.contains("-----BEGIN RSA PRIVATE KEY-----")) return QSsl::Rsa;
    if (pem.contains("-----BEGIN EC PRIVATE KEY-----")) return QSsl::Ec;
    if (pem.contains("-----BEGIN DSA PRIVATE KEY-----")) return QSsl::Dsa;
    const QByteArray begin = "-----BEGIN PRIVATE KEY-----"; // PKCS #8: any kind, named near its beginning
    const qsizetype from = pem.indexOf(begin);
    if (from < 0) return std::nullopt;
    const qsizetype until = pem.indexOf("-----END", from);
    const QByteArray head = QByteArray::fromBase64(pem.mid(from + begin.size(), until - from - begin.size())).left(40);
    if (head.contains(QByteArray::fromHex("2a864886f70d010101"))) return QSsl::Rsa; // 1.2.840.113549.1.1.1
    if (head.contains(QByteArray::fromHex("2a8648ce3d0201"))) return QSsl::Ec;      // 1.2.840.10045.2.1
    if (head.contains(QByteArray::fromHex("2a8648ce380401"))) return QSsl::Dsa;     // 1.2.840.10040.4.1
    return std::nullopt;
}

std::expected<QSslKey, QString> keyIn(const QString& name) {
    const auto content = contentOf(name);
    if (!content) return std::unexpected(content.error());
    if (const auto algorithm = algorithmOf(*content)) {
        QSslKey key(*content, *algorithm, QSsl::Pem);
        if (!key.isNull()) return key;
    }
    return std::unexpected(Text::tr("The file %1 holds no private key in PEM format without a passphrase.").arg(name));
}

} // namespace

std::expected<QSslConfiguration, QString> tlsConfiguration(const TlsFiles& files) {
    QSslConfiguration configuration = QSslConfiguration::defaultConfiguration();
    configuration.setPeerVerifyMode(QSslSocket::VerifyPeer);
    configuration.setProtocol(QSsl::TlsV1_2OrLater);
    if (!files.ca.isEmpty()) {
        const auto authorities = certificatesIn(files.ca);
        if (!authorities) return std::unexpected(authorities.error());
        configuration.setCaCertificates(*authorities); // these and no others
    }
    if (!files.certificate.isEmpty()) {
        const auto chain = certificatesIn(files.certificate);
        if (!chain) return std::unexpected(chain.error());
        const auto key = keyIn(files.key);
        if (!key) return std::unexpected(key.error());
        configuration.setLocalCertificateChain(*chain);
        configuration.setPrivateKey(*key);
    }
    return configuration;
}

} // namespace lockscope::net
