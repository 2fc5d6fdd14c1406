package sluice

// Block holds one of the places of blocking calls for as long as do runs.
func (s *Scheduler) Block(do func()) { s.core.Block(do) }

// Closing tells whether Close has begun.
func (f *File) Closing() bool {
	if f.core.Use() {
		f.core.Done()
		return false
	}
	return true
}

// Inodes tells how many files of DirectFiles are remembered.
func Inodes() int {
	inodes.Lock()
	defer inodes.Unlock()
	return len(inodes.m)
}

// BuffersInUse tells how much memory of the file's Scheduler users hold.
func (d *DirectFile) BuffersInUse() int64 { return d.file.sched.Stats().BuffersInUse }
