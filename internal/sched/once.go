package sched

import "context"

// ReadOnce makes one transfer of ReadAt, which may be short. It is for a caller that must know
// where the kernel stopped. 0 bytes without an error is the end of the file.
func (s *Scheduler) ReadOnce(ctx context.Context, f *File, b []byte, off int64) (int, error) {
	res := s.read(ctx, f, b, off)
	if res < 0 {
		return 0, errorOf(ctx, res)
	}
	return int(res), nil
}
