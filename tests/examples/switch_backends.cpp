// SPDX-License-Identifier: Apache-2.0
// One program for any backend: only the URL differs. switch_backends URL…
#include <iostream>
#include <lockscope/blocking.h>
#include <mutex>

int main(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
        try {
            lockscope::blocking::Client client(argv[i]); // where locks are rows, it makes their table
            lockscope::blocking::Mutex orders(client, "orders");
            const std::lock_guard lock(orders);
            std::cout << "held" << std::endl;
        } catch (const lockscope::UnreachableException& away) {
            std::cerr << away.what() << std::endl;
            return 3;
        } catch (const lockscope::LockException& problem) { // also of a wrong URL
            std::cerr << problem.what() << std::endl;
            return 2;
        }
    }
}
