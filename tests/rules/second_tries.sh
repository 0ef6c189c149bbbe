#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# second_tries.sh COUNTER: what .ci/second-tries makes of ctest's words.
set -euo pipefail

expect() { # expect WORDS, log on stdin
  local told
  told=$("$counter")
  [ "$told" = "$1" ] || { echo "expected: $1"; echo "told:     $told"; exit 1; }
}
counter=$1

expect "ci: complaints of tests that failed:
flaky:
bad:
  FAIL!  : Bad::one() it is
     Loc: [bad.cpp(1)]
late:
ci: 2 tests needed a second try: flaky, late" <<'END'
Test project /src/build/release
1/4 Test #2: good .............................   Passed    0.00 sec
2/4 Test #1: flaky ............................***Failed    0.01 sec
    Start 1: flaky
2/4 Test #3: bad ..............................***Failed    0.01 sec
PASS   : Bad::none()
FAIL!  : Bad::one() it is
   Loc: [bad.cpp(1)]
    Test #1: flaky ............................   Passed    0.01 sec
    Test #3: bad ..............................***Failed    0.00 sec
4/4 Test #4: late .............................***Timeout   1.01 sec
    Test #4: late .............................   Passed    0.00 sec
END
expect "ci: complaints of tests that failed:
crashing:
  Received signal 11 (SIGSEGV)
ci: 1 test needed a second try: crashing" <<'END'
Test project /src/build/debug
1/1 Test   #1: crashing .......***Exception: SegFault  0.01 sec
Received signal 11 (SIGSEGV)
       Test   #1: crashing .......   Passed    0.01 sec
END
expect "ci: complaints of tests that failed:
bad:
ci: no test needed a second try" <<'END'
Test project /src/build/debug
1/1 Test #3: bad ..............................***Failed    0.01 sec
    Test #3: bad ..............................***Failed    0.00 sec
Test project /src/build/release
1/1 Test #3: bad ..............................   Passed    0.00 sec
END
