// Package tree makes the trees that copies are measured with, brings them into
// memory and out of it, and compares them.
package tree

// Shape is a tree in which every directory has as many files as directories,
// but for those of the last level, which have files alone.
type Shape struct {
	Levels   int   `json:"levels"` // of directories, the root among them
	Width    int   `json:"width"`  // files of a directory, and directories
	FileSize int64 `json:"file_size"`
}

// Dirs returns how many directories there are.
func (s Shape) Dirs() int64 {
	all, level := int64(0), int64(1)
	for range s.Levels {
		all += level
		level *= int64(s.Width)
	}
	return all
}

// Files returns how many files there are.
func (s Shape) Files() int64 { return s.Dirs() * int64(s.Width) }

// Data returns the bytes in all files.
func (s Shape) Data() int64 { return s.Files() * s.FileSize }

// Block is what a directory takes, and the least that a file takes.
const Block = 4 << 10 // 4 KiB

// OnDisk returns the bytes that files and directories take, as du(1) counts
// them.
func (s Shape) OnDisk() int64 {
	size := (s.FileSize + Block - 1) / Block * Block
	return s.Files()*size + s.Dirs()*Block
}
