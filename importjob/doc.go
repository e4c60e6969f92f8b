// Package importjob imports what was posted to memd, in the background.
//
// What came is kept in import_job until it is in. Whoever holds the lease of an import reads it
// and puts its messages into the log, behind live traffic; its memories are stored as they are. A memd
// that is restarted begins it anew: every message has an id by which the log knows it, so that
// nothing comes to stand there twice.
package importjob
