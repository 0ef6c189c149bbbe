// SPDX-License-Identifier: Apache-2.0
#include "sandbox/tls_authority.h"

#include "sandbox/process_supervisor.h"

namespace lockscope::sandbox {

namespace {

QStringList words(const QString& line) {
    return line.split(QLatin1Char(' '), Qt::SkipEmptyParts);
}

// Elliptic keys: made in no time.
const QString kNewKey = QStringLiteral("-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes ");

} // namespace

QCoro::Task<std::expected<TlsAuthority, QString>> TlsAuthority::make(Runtime& runtime, const Workspace& workspace,
                                                                     QString prefix, std::stop_token stop) {
    const QString folder = workspace.path();
    const auto file = [&](const char* name) { return prefix + QLatin1String(name); };
    workspace.write(file("server.ext"), "subjectAltName=IP:127.0.0.1,DNS:localhost\nextendedKeyUsage=serverAuth\n");
    workspace.write(file("client.ext"), "extendedKeyUsage=clientAuth\n");

    QStringList steps;
    steps << QStringLiteral("req -x509 %1 -days 3 -subj /CN=lockscope-%2 -keyout %3 -out %4")
                 .arg(kNewKey, file("ca"), file("ca.key"), file("ca.pem"));
    for (const char* who : {"server", "client"}) {
        const QString name = file(who);
        steps << QStringLiteral("req %1 -subj /CN=%2 -keyout %2.key -out %2.csr").arg(kNewKey, name);
        steps << QStringLiteral(
                     "x509 -req -in %1.csr -CA %2 -CAkey %3 -CAcreateserial -days 3 -extfile %1.ext -out %1.pem")
                     .arg(name, file("ca.pem"), file("ca.key"));
    }
    for (const QString& step : steps) {
        auto done = co_await run(runtime, QStringLiteral("openssl"), words(step), folder, stop);
        if (!done) co_return std::unexpected(done.error());
    }
    TlsAuthority authority;
    const auto path = [&](const char* name) { return folder + QLatin1Char('/') + file(name); };
    authority.ca = path("ca.pem");
    authority.serverCertificate = path("server.pem");
    authority.serverKey = path("server.key");
    authority.clientCertificate = path("client.pem");
    authority.clientKey = path("client.key");
    co_return authority;
}

} // namespace lockscope::sandbox
