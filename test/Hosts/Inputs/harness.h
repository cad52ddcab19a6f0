// What only the host needs.
#include <iostream>
#define SAY(what) (std::cout << (what))
