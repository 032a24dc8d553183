/*
** What LLVM calls and GCC's runtime of ThreadSanitizer does not have: its own memcpy and their like watch the bytes just so.
*/
#include <string.h>

void *__tsan_memcpy(void *to, const void *from, size_t n) { return memcpy(to, from, n); }
void *__tsan_memmove(void *to, const void *from, size_t n) { return memmove(to, from, n); }
void *__tsan_memset(void *to, int byte, size_t n) { return memset(to, byte, n); }
