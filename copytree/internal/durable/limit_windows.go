package durable

// chunkSize returns how many files stay open until they are synced together.
func chunkSize() int { return 512 }
