//go:build !linux

package main

// standBack does nothing: that an import stands back is seen to where it is started.
func standBack() {}
