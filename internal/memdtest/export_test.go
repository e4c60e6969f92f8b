package memdtest

var Sweep = sweep
