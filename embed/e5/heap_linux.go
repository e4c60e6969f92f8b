package e5

/*
#include <malloc.h>

static void return_freed_memory(void) {
#ifdef __GLIBC__
	malloc_trim(0);
#endif
}
*/
import "C"

// returnFreedMemory gives the pages of the C heap that are free back to the
// system; glibc keeps them otherwise.
func returnFreedMemory() { C.return_freed_memory() }
