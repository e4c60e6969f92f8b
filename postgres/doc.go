// Package postgres opens pools that work as memd_app, sets the tenant in each
// transaction, applies the schema, and translates driver errors once.
//
// Invariants: no query runs as a superuser or as the tables' owner; the tenant is
// set in the same round trip as the work; errors are told apart by SQLSTATE, never
// by text.
package postgres
