// Package tree makes the trees of files that programs copy. It brings them into the page cache and
// drops them, and compares a tree with its copy.
package tree

// Shape describes a tree. Each directory has Width files and Width subdirectories; directories of
// the last level only have files.
type Shape struct {
	Levels   int   `json:"levels"` // levels of directories, including the root
	Width    int   `json:"width"`  // files in a directory, and subdirectories
	FileSize int64 `json:"file_size"`
}

// Dirs returns the number of directories.
func (s Shape) Dirs() int64 {
	all, level := int64(0), int64(1)
	for range s.Levels {
		all += level
		level *= int64(s.Width)
	}
	return all
}

// Files returns the number of files.
func (s Shape) Files() int64 { return s.Dirs() * int64(s.Width) }

// Data returns the bytes in all files.
func (s Shape) Data() int64 { return s.Files() * s.FileSize }

// Block is the size of a directory on disk, and the smallest size of a file there.
const Block = 4 << 10 // 4 KiB

// OnDisk returns the bytes of files and directories on disk, as du(1) counts them.
func (s Shape) OnDisk() int64 {
	size := (s.FileSize + Block - 1) / Block * Block
	return s.Files()*size + s.Dirs()*Block
}
