// Package httpapi serves memd over HTTP: routes, JSON shapes, limits, API keys and
// problem documents. The routes and their types are declared once, with huma, and
// the OpenAPI document is made from the same declarations that requests are read by.
//
// Invariants: every error is a problem document that names the field and echoes no
// value; a kind of error has one status, in one table; nothing internal reaches a
// caller, and what a caller does not see is logged once with the request's id; a
// message's JSON passes through byte for byte; the tenant comes from the credential.
package httpapi
