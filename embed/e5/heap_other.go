//go:build !linux

package e5

// returnFreedMemory does nothing where the C heap does it by itself.
func returnFreedMemory() {}
