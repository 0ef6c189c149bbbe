// SPDX-License-Identifier: Apache-2.0
// A job that must not run twice at once, on however many machines. lock_a_job [URL]
#include <iostream>
#include <lockscope/blocking.h>
#include <mutex>

int main(int argc, char** argv) {
    lockscope::blocking::Client client(argc > 1 ? argv[1] : "redis://127.0.0.1");
    lockscope::blocking::Mutex mutex(client, "nightly-report");
    const std::unique_lock lock(mutex, std::chrono::seconds(5)); // try_lock_for
    if (!lock) return 1;                                         // somebody else is at it
    std::cout << "writing the report" << std::endl;
    return mutex.stillMine() ? 0 : 2;
}
