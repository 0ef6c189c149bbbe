#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# screen_reader.sh LOCKSCOPE: a lesson in a window of its own, on a display and a bus of its own, read by reader.py.
set -euo pipefail

here=$(dirname "$(readlink -f "$0")") lockscope=$1
if [ "${2:-}" != inside ]; then
  exec dbus-run-session -- "$0" "$lockscope" inside
fi

place=$(mktemp -d)
ended() {
  jobs -p | xargs -r kill 2>/dev/null || true
  wait || true
  rm -rf "$place"
}
trap ended EXIT

# A number of its own choice: other displays may run beside it. It refuses clients while it starts anew, as it would when
# the first one leaves.
Xvfb -noreset -displayfd 3 -screen 0 1280x800x24 3>"$place/display" 2>/dev/null &
until [ -s "$place/display" ]; do sleep 0.05; done
export DISPLAY=:$(cat "$place/display") XDG_CONFIG_HOME=$place XDG_DATA_HOME=$place XDG_RUNTIME_DIR=$place LC_ALL=C.UTF-8
chmod 700 "$place"
/usr/libexec/at-spi-bus-launcher --launch-immediately &
QT_QPA_PLATFORM=xcb QT_LINUX_ACCESSIBILITY_ALWAYS_ON=1 "$lockscope" --lesson the-pause --step 1 &
/usr/bin/python3 "$here/reader.py"
