package sluice

// Closing reports whether Close of f has begun.
func (f *File) Closing() bool {
	if f.h.Core.Use() {
		f.h.Core.Done()
		return false
	}
	return true
}
