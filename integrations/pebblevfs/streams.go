package pebblevfs

import "sync/atomic"

// mostStreams is the most streams of the process.
const mostStreams = 64

// streams is the number of streams, of all FS.
var streams atomic.Int32

// streamsWith returns the number of streams for which a pool of memory bytes has room. A stream
// that writes waits for its first buffer, and one goroutine may have several: a compaction writes a
// table and a blob file. With too little memory for all of them, the last one would wait for ever.
// Only first buffers come from the pool's second half (package direct).
func streamsWith(memory int64) int32 { return int32(min(mostStreams, memory/2/streamSize)) }

// takeStream takes a stream for s. It returns false if there is none left.
func (s *FS) takeStream() bool {
	if streams.Add(1) <= s.maxStreams {
		return true
	}
	streams.Add(-1)
	return false
}

func releaseStream() { streams.Add(-1) }
