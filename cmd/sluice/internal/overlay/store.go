package overlay

import (
	"crypto/sha256"
	"embed"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"
)

// sources is the source of this package. Another source may make other files of the same input.
//
//go:embed *.go
var sources embed.FS

// maker identifies this package in a key.
var maker = sync.OnceValue(func() string {
	h := sha256.New()
	fmt.Fprintln(h, runtime.Version())
	_ = fs.WalkDir(sources, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			text, _ := sources.ReadFile(name) // in memory
			fmt.Fprintln(h, name, len(text))
			h.Write(text)
		}
		return err
	})
	return hex.EncodeToString(h.Sum(nil))
})

// keyOf returns a name that stands for the values, and for maker.
func keyOf(values ...any) string {
	text, err := json.Marshal(append(values, maker()))
	if err != nil {
		panic("overlay: a key has a value without JSON: " + err.Error())
	}
	return fmt.Sprintf("%.16x", sha256.Sum256(text))
}

// store keeps what overlays are made of, from one call to the next, in a directory of the user's
// cache. Each name in the directory has a key, which stands for all inputs of its content.
// Processes may use a store at the same time, and a user may remove files at any time. The zero
// store keeps nothing.
type store struct{ dir string }

// unused is the time after which the store forgets what no call has used.
const unused = 30 * 24 * time.Hour

// kept is a file of a set.
type kept struct {
	Name string // with slashes
	Size int64
	Time time.Time
}

// indexFile has the list of a set's files. It is written last.
const indexFile = "index.json"

// set is a directory, and the names of the files in it that count.
type set struct {
	dir   string
	names []string // with slashes
}

// find returns the files that were made from what key stands for, if the store has them.
func (s store) find(kind, key string) (set, bool) {
	if s.dir == "" {
		return set{}, false
	}
	dir := filepath.Join(s.dir, kind+"-"+key)
	names, ok := use(dir)
	return set{dir, names}, ok
}

// set is find, and makes the files if the store does not have them. If it cannot keep them, they
// are in the directory instead.
func (s store) set(kind, key, instead string, files func() (map[string][]byte, error)) (set, error) {
	if found, ok := s.find(kind, key); ok {
		return found, nil
	}
	made, err := files()
	if err != nil {
		return set{}, err
	}
	if s.prepare() == nil {
		dir := filepath.Join(s.dir, kind+"-"+key)
		if names, err := writeSet(dir, made); err == nil {
			return set{dir, names}, nil
		}
	}
	own := set{dir: instead}
	for name, text := range made {
		if err := writeFile(filepath.Join(instead, filepath.FromSlash(name)), text); err != nil {
			return set{}, err
		}
		own.names = append(own.names, name)
	}
	return own, nil
}

// replacing adds the files of a set to replace, as files below root.
func (s set) replacing(root string, replace map[string]string) {
	for _, name := range s.names {
		name = filepath.FromSlash(name)
		replace[filepath.Join(root, name)] = filepath.Join(s.dir, name)
	}
}

// use returns the names of a set, if all its files are as they were written. A file that was
// changed, or that a crash has cut off, has another size or time.
func use(dir string) (names []string, ok bool) {
	index := filepath.Join(dir, indexFile)
	text, err := os.ReadFile(index)
	if err != nil {
		return nil, false
	}
	var list []kept
	if json.Unmarshal(text, &list) != nil {
		return nil, false
	}
	for _, k := range list {
		info, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(k.Name)))
		if err != nil || !info.Mode().IsRegular() || info.Size() != k.Size || !info.ModTime().Equal(k.Time) {
			return nil, false
		}
		names = append(names, k.Name)
	}
	touch(index)
	return names, true
}

// writeSet writes the files of a set, each of them whole, and the index last.
func writeSet(dir string, files map[string][]byte) (names []string, err error) {
	var list []kept
	for name, text := range files {
		at := timeOf(text)
		if err := replaceFile(filepath.Join(dir, filepath.FromSlash(name)), text, at); err != nil {
			return nil, err
		}
		list, names = append(list, kept{name, int64(len(text)), at}), append(names, name)
	}
	text, err := json.Marshal(list)
	if err != nil {
		return nil, err
	}
	return names, replaceFile(filepath.Join(dir, indexFile), text, time.Time{})
}

// timeOf returns the modification time of a file of an overlay. The go command remembers what a
// directory's files import by their names, sizes and times, unless they are new. So the time is an
// old one, and another one for another content.
func timeOf(text []byte) time.Time {
	sum := sha256.Sum256(text)
	n := binary.BigEndian.Uint64(sum[:])
	return time.Unix(int64(n>>34), int64(n%1e6)*1000) // years 1970 to 2004; whole microseconds
}

// writeFile writes a file of an overlay, and makes its directory.
func writeFile(name string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	return os.WriteFile(name, text, 0o666)
}

// replaceFile writes a file that others never see in part. Its modification time is at, or now if
// that is zero.
func replaceFile(name string, text []byte, at time.Time) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(name), ".new-")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // if it is still there
	_, err = f.Write(text)
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	if !at.IsZero() {
		if err := os.Chtimes(f.Name(), at, at); err != nil {
			return err
		}
	}
	return os.Rename(f.Name(), name)
}

// touch marks a file as used, at most once a day.
func touch(name string) {
	now := time.Now()
	if info, err := os.Stat(name); err == nil && now.Sub(info.ModTime()) > 24*time.Hour {
		_ = os.Chtimes(name, now, now) // else it is made again one day
	}
}

// prepare makes the store's directory, and removes from it what was not used for long. The
// directory may be in the program's module. With a go.mod it is another module, so "./..." does not
// match it.
func (s store) prepare() error {
	if s.dir == "" {
		return errors.ErrUnsupported
	}
	s.forget()
	mod := filepath.Join(s.dir, "go.mod")
	if _, err := os.Stat(mod); err == nil {
		return nil
	}
	return replaceFile(mod, []byte(moduleText), time.Time{})
}

// moduleText is the go.mod of a directory whose files are in no module.
const moduleText = "module overlay\n"

// forget removes what was not used for long.
func (s store) forget() {
	entries, _ := os.ReadDir(s.dir)
	for _, e := range entries {
		if e.Name() == "go.mod" {
			continue
		}
		name := filepath.Join(s.dir, e.Name())
		used := name
		if e.IsDir() {
			used = filepath.Join(name, indexFile)
		}
		info, err := os.Stat(used)
		if err != nil { // a set that is being written has no index yet
			info, err = os.Stat(name)
		}
		if err == nil && time.Since(info.ModTime()) > unused {
			_ = os.RemoveAll(name)
		}
	}
}

// contents is the content of files by name, for a key.
func contents(files map[string][]byte) (list []string) {
	for name, text := range files {
		list = append(list, fmt.Sprintf("%s %x", name, sha256.Sum256(text)))
	}
	slices.Sort(list)
	return list
}
