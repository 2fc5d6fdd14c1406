package direct

// BuffersInUse returns how much memory of the file's Scheduler users hold.
func (f *File) BuffersInUse() int64 { return f.h.Sched.Buffers.Stats().InUse }
