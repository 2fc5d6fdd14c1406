// Package treecmp compares two trees of files. Tests of copies use it.
//
//	differences, err := treecmp.Compare("source", "copy", treecmp.All&^treecmp.Atime)
//
// It follows no symbolic link, and opens only directories and regular files. Its calls
// are relative to open directories, so that trees may be deeper than PATH_MAX. Names are
// bytes. Access times do not change, except those of symbolic links.
package treecmp
