//go:build long

package httpapi

const larger = 10
