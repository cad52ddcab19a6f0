#ifndef LENGTH
#define LENGTH 64
#endif
