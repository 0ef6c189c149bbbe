// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/url.h"

#include <QSslConfiguration>

namespace lockscope::net {

/// A configuration from these files that verifies the server. The error names the file and what is wrong with it.
std::expected<QSslConfiguration, QString> tlsConfiguration(const TlsFiles& files);

} // namespace lockscope::net
