package durable

// chunkSize is how many files are kept open until they are synced together.
func chunkSize() int { return 512 }
