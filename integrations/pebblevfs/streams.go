package pebblevfs

import "sync/atomic"

// maxStreams is the most streams in the process. A stream needs one buffer to make progress, and
// one goroutine may have many: a compaction reads several tables in turn while it writes another.
// If all the streams together had less memory than that, the last one would wait for ever. The
// least pool that a Scheduler has by default, unless there is hardly any memory, is 64 MiB.
const maxStreams = 64

// streams is the number of streams.
var streams atomic.Int32

// takeStream takes one of the streams. It returns false if there is none.
func takeStream() bool {
	if streams.Add(1) <= maxStreams {
		return true
	}
	streams.Add(-1)
	return false
}

func releaseStream() { streams.Add(-1) }
