package pebblevfs

// Streams returns the number of streams of the process.
func Streams() int { return int(streams.Load()) }

// MostStreams is the most streams of the process.
const MostStreams = mostStreams

// StreamsOf returns the number of the process's streams at which fs opens no more.
func StreamsOf(fs *FS) int { return int(fs.maxStreams) }

// Mode returns the mode of s.
func (s *FS) Mode() Mode { return s.mode }
