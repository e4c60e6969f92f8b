package worker

// IsStopping says whether a Stop is under way.
func (w *Worker) IsStopping() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.running != nil && w.running.isStopping()
}

// IsPaused says whether the database is known to be away.
func (w *Worker) IsPaused() bool { return !w.database.isClosed() }
