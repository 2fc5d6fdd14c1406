package direct

// BuffersInUse returns how much memory of the file's Scheduler users hold.
func (d *File) BuffersInUse() int64 { return d.h.Sched.Buffers.Stats().InUse }
