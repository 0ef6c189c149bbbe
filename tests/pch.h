// SPDX-License-Identifier: Apache-2.0
// Headers that nearly every test includes, beside those of core; compiled once.
#pragma once
#include <QElapsedTimer>
#include <QProcess>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <ranges>
#include <thread>
