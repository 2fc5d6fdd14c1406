// Package treecmp compares two trees of files, for tests of copies.
//
//	differences, err := treecmp.Compare("source", "copy", treecmp.All&^treecmp.Atime)
//
// It follows no symbolic link, and opens only directories and regular files. Its calls are relative
// to open directories, so that trees may be deeper than PATH_MAX. Names are bytes. Access times do
// not change, except of symbolic links.
package treecmp
