// SPDX-License-Identifier: Apache-2.0
#include "backends/redis/tls.h"

#include <QCoreApplication>
#include <QFile>
#include <QSslCertificate>
#include <QSslKey>

namespace lockscope::redis {

namespace {

struct Text {
    Q_DECLARE_TR_FUNCTIONS(RedisTls)
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
    const auto certificates = QSslCertificate::fromData(*content, QSsl::Pem);
    if (certificates.isEmpty())
        return std::unexpected(Text::tr("The file %1 holds no certificate in PEM format.").arg(name));
    return certificates;
}

std::expected<QSslKey, QString> keyIn(const QString& name) {
    const auto content = contentOf(name);
    if (!content) return std::unexpected(content.error());
    for (const QSsl::KeyAlgorithm algorithm : {QSsl::Rsa, QSsl::Ec, QSsl::Dsa}) {
        const QSslKey key(*content, algorithm, QSsl::Pem);
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

} // namespace lockscope::redis
