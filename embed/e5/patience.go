package e5

import (
	"runtime"

	"github.com/sourcegraph/conc/panics"
)

// patiently does something on a thread of its own, which has a core only as far as others leave
// it: the model runs for as long as a long request takes to be answered, and cannot be interrupted by
// us, but by the system.
func patiently(do func()) {
	done := make(chan *panics.Recovered)
	go func() {
		// It is never unlocked: the thread, which cannot be given its rank back, ends with this.
		runtime.LockOSThread()
		standBack()
		done <- panics.Try(do)
	}()
	if caught := <-done; caught != nil {
		panic(caught.Value)
	}
}
