// SPDX-License-Identifier: Apache-2.0
// Two locks on different servers as one, both or none. lock_together [URL URL]
#include <atomic>
#include <iostream>
#include <lockscope/blocking.h>
#include <mutex>
#include <thread>
#include <vector>

using namespace lockscope;

int main(int argc, char** argv) {
    blocking::Client first(argc > 2 ? argv[1] : "redis://127.0.0.1");
    // Beside the first: one thread keeps the locks of both.
    blocking::Client second(argc > 2 ? argv[2] : "zookeeper://127.0.0.1", {.beside = &first});
    blocking::MultiLock transfer({{first, "account-1"}, {second, "account-2"}});
    int one = 1000, two = 0; // must always be 1000 together
    std::atomic<int> tokens = 0;
    {
        std::vector<std::jthread> threads;
        for (int thread = 0; thread < 3; ++thread) {
            threads.emplace_back([&] {
                for (int i = 0; i < 10; ++i) {
                    const std::lock_guard both(transfer);
                    one -= 10;
                    two += 10;
                    for (const std::int64_t token : transfer.tokens())
                        tokens += token > 0 ? 1 : 0; // for what checks them: one for each part
                }
            });
        }
    }
    const std::unique_lock both(transfer, std::chrono::seconds(5));
    std::cout << one << " and " << two << ", " << tokens << " tokens" << std::endl;
    return both && transfer.stillMine() && one == 700 && two == 300 ? 0 : 1;
}
