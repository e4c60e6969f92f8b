package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// version is set at link time; a binary built by plain go build or go install tells
// what the build information knows.
var version = ""

func currentVersion() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

type versionCommand struct{}

func (versionCommand) Run() error {
	fmt.Printf("memd %s %s %s/%s\n", currentVersion(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return nil
}
