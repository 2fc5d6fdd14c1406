// Package treecmp compares two trees of files, for tests of what copies them.
//
//	differences, err := treecmp.Compare("source", "copy", treecmp.All&^treecmp.Atime)
//
// No symbolic link is followed, nothing but a regular file is opened for
// reading, and everything is done relative to open directories, so that trees
// may be deeper than PATH_MAX. Names are bytes. Access times stay what they are,
// but for those of symbolic links, which cannot be read without.
package treecmp
