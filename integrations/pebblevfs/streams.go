package pebblevfs

import "sync/atomic"

// mostStreams is the most streams in the process.
const mostStreams = 64

// streams is the number of streams, of all FS.
var streams atomic.Int32

// streamsWith returns how many streams a pool of so much memory, in bytes, has room for. A stream
// that writes waits for its first buffer. One goroutine may have several: a compaction writes a
// table and a blob file. If they had less memory together, the last one would wait for ever. All
// but the first buffers come from the first half of the pool alone (package direct).
func streamsWith(memory int64) int32 { return int32(min(mostStreams, memory/2/streamSize)) }

// takeStream takes one of the streams that s may have. It returns false if there is none.
func (s *FS) takeStream() bool {
	if streams.Add(1) <= s.maxStreams {
		return true
	}
	streams.Add(-1)
	return false
}

func releaseStream() { streams.Add(-1) }
