// SPDX-License-Identifier: Apache-2.0
// Readers together, a writer alone. read_and_write [URL]
#include <atomic>
#include <iostream>
#include <lockscope/blocking.h>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>

int main(int argc, char** argv) {
    lockscope::blocking::Client client(argc > 1 ? argv[1] : "redis://127.0.0.1");
    lockscope::blocking::SharedMutex prices(client, "prices");
    int price = 1, doubled = 2; // must always fit together
    std::atomic<int> torn = 0, reads = 0;
    {
        std::vector<std::jthread> threads;
        for (int reader = 0; reader < 3; ++reader) {
            threads.emplace_back([&] {
                for (int i = 0; i < 20; ++i) {
                    const std::shared_lock lock(prices);
                    if (doubled != 2 * price) ++torn;
                    ++reads;
                }
            });
        }
        threads.emplace_back([&] {
            for (int i = 0; i < 20; ++i) {
                const std::unique_lock lock(prices);
                ++price;
                doubled = 2 * price;
            }
        });
    }
    std::cout << reads << " reads, " << torn << " torn, price " << price << std::endl;
    return torn == 0 && price == 21 ? 0 : 1;
}
