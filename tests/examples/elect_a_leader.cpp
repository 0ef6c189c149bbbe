// SPDX-License-Identifier: Apache-2.0
// One of many processes leads; when it ends or loses the lock, another one does. elect_a_leader [URL [SECONDS]]
#include <chrono>
#include <condition_variable>
#include <iostream>
#include <lockscope/blocking.h>
#include <mutex>
#include <string>

int main(int argc, char** argv) {
    const auto seconds = std::chrono::seconds(argc > 2 ? std::stoi(argv[2]) : 3600);
    lockscope::blocking::Client client(argc > 1 ? argv[1] : "redis://127.0.0.1");
    lockscope::LockOptions options = lockscope::blocking::LeaderElection::defaults();
    options.lease = std::chrono::seconds(3); // how long nobody leads when the leader dies
    lockscope::blocking::LeaderElection election(client, "leader", options);
    election.onElected(
        [&](std::int64_t term) { std::cout << client.identity() << " leads, term " << term << std::endl; });
    election.onDeposed([&](const std::string& reason) {
        std::cout << client.identity() << " leads no longer. " << reason << std::endl;
    });
    election.campaign();
    std::mutex idle;
    std::unique_lock held(idle);
    std::condition_variable().wait_for(held, seconds, [] { return false; }); // the program's other work
    if (const auto leader = election.leader()) std::cout << leader->client << " is the leader" << std::endl;
}
