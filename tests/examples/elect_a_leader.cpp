// SPDX-License-Identifier: Apache-2.0
// One of many processes leads; when it ends or loses the lock, another one does. elect_a_leader [URL [SECONDS]]
#include <chrono>
#include <condition_variable>
#include <iostream>
#include <lockscope/blocking.h>
#include <mutex>

using namespace std::chrono_literals;

int main(int argc, char** argv) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(argc > 2 ? std::stoi(argv[2]) : 3600);
    std::mutex guard;
    std::condition_variable changed;
    bool lost = false;
    lockscope::LockOptions options;
    options.lease = 3s; // how long nobody leads when the leader dies
    options.watchdog = 1s;
    lockscope::blocking::Client client(argc > 1 ? argv[1] : "redis://127.0.0.1");
    lockscope::blocking::Mutex leadership(client, "leader", options);
    leadership.onLost([&](const std::string&) {
        const std::lock_guard held(guard);
        lost = true;
        changed.notify_all();
    });
    while (std::chrono::steady_clock::now() < until) {
        const std::unique_lock lead(leadership, until); // waits in line
        if (!lead) break;
        std::cout << client.identity() << " leads" << std::endl;
        std::unique_lock held(guard);
        lost = false;
        changed.wait_until(held, until, [&] { return lost || !leadership.stillMine(); }); // lead
        if (!leadership.stillMine()) std::cout << client.identity() << " leads no longer" << std::endl;
    }
}
