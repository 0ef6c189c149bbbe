// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "loader/servers.h"

/// The library's only entry point. Returns null when the calling program is of another version.
extern "C" __attribute__((visibility("default"))) const lockscope::servers::Servers*
lockscope_servers(const char* version);
