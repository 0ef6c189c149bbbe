// SPDX-License-Identifier: Apache-2.0
// Headers that nearly every test includes; compiled once.
#pragma once
#include "../core/pch.h"

#include <QElapsedTimer>
#include <QProcess>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <ranges>
#include <thread>
