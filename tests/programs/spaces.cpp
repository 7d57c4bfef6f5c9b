/* SPDX-License-Identifier: Apache-2.0
 * Names of C++ that no linker would take as they are written. */
#include <mutex>
#include <thread>

namespace shop {
struct Stock {
    std::mutex lock;
    int count = 0;
    void add(int more)
    {
        std::lock_guard<std::mutex> guard(lock);
        count += more;
    }
};
Stock stock;
}

int main()
{
    std::thread one(&shop::Stock::add, &shop::stock, 1), two(&shop::Stock::add, &shop::stock, 2);
    one.join();
    two.join();
    return shop::stock.count - 3;
}
