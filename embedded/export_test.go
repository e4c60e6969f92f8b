package embedded

// LostStore is what the watch of n thinks of its store.
func LostStore(n *NATS) string { return n.lost(n.server) }
