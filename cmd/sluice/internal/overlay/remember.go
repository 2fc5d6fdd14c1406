package overlay

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// An answer of go list holds as long as the files that go list read are the same. The store keeps
// the answer with the content of these files, and compares the files before it uses the answer. Of
// a Go file it compares only the head, because go list reads no more. Files of the standard library
// and of the module cache are not compared: the key has their versions.

// place is a file or a directory from which an answer came.
type place struct {
	Name string
	// Dir is set for a directory: its files count, and with Tree those in directories below.
	Dir, Tree bool
	// Whole is set if Go files and go.mod count from beginning to end.
	Whole bool
	// Tests is set if test files count, too, and Names if the names of all other files do.
	Tests, Names bool
}

// content is the content of a file, and its head, both as SHA-256. It has neither if only the name
// of the file counts.
type content struct{ Whole, Head []byte }

// record is an answer that the store keeps.
type record struct {
	Places []seen
	Answer json.RawMessage
}

// seen is a place, and its files by the rest of their names.
type seen struct {
	place
	Files map[string]content
}

// most bounds the files of a place: reading more takes longer than go list does.
const most = 20_000

// errOther ends the walk of a place whose answer does not hold, or cannot be kept.
var errOther = errors.New("another answer is possible")

// recent is the age below which a file may change without a change of its time, as the go command
// has it for its own caches.
const recent = 2 * time.Second

// ask returns the store's answer for key, or calls fresh. The store keeps the answer of fresh,
// unless places are nil, or a place has changed since shortly before the call of fresh.
func ask[T any](s store, kind, key string, fresh func() (answer T, places []place, err error)) (answer T, err error) {
	file := filepath.Join(s.dir, kind+"-"+key+".json")
	if s.dir != "" && recall(file, &answer) {
		return answer, nil
	}
	before := time.Now().Add(-recent)
	answer, places, err := fresh()
	if err != nil || places == nil || s.dir == "" {
		return answer, err
	}
	r := record{Places: []seen{}}
	for _, p := range places {
		files, err := p.look(before)
		if err != nil {
			return answer, nil // not kept
		}
		r.Places = append(r.Places, seen{p, files})
	}
	if r.Answer, err = json.Marshal(answer); err != nil {
		return answer, err
	}
	text, err := json.Marshal(r)
	if err != nil {
		return answer, err
	}
	if s.prepare() == nil {
		_ = replaceFile(file, text, time.Time{}) // else it is asked again
	}
	return answer, nil
}

// recall takes an answer from a file, if it still holds.
func recall(file string, answer any) bool {
	text, err := os.ReadFile(file)
	if err != nil {
		return false
	}
	var r record
	if json.Unmarshal(text, &r) != nil {
		return false
	}
	for _, p := range r.Places {
		if !p.same() {
			return false
		}
	}
	if json.Unmarshal(r.Answer, answer) != nil {
		return false
	}
	touch(file)
	return true
}

// walk calls file with each file of a place, and dir with each directory that has, or may have had,
// one. A place that does not exist has none.
func (p place) walk(dir func(name string) error, file func(name, rest string) error) error {
	if p.Dir {
		n := 0
		return p.below("", &n, dir, file)
	}
	if there(p.Name) {
		return file(p.Name, "")
	}
	above := filepath.Dir(p.Name)
	for !there(above) {
		above = filepath.Dir(above)
	}
	return dir(above)
}

func there(name string) bool {
	_, err := os.Stat(name)
	return !errors.Is(err, fs.ErrNotExist)
}

// below is walk for the directory rest of a place. n is the number of files.
func (p place) below(rest string, n *int, dir func(name string) error, file func(name, rest string) error) error {
	name := filepath.Join(p.Name, rest)
	entries, err := os.ReadDir(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = dir(name)
	}
	// In a directory below, go.mod begins another module.
	other := rest != "" && slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == "go.mod" })
	for _, e := range entries {
		if err != nil {
			return err
		}
		below := filepath.Join(rest, e.Name())
		switch {
		case other && e.Name() != "go.mod":
		case e.IsDir():
			// Patterns of the go command match nothing in an ignored directory.
			if p.Tree && !ignored(e.Name()) {
				err = p.below(below, n, dir, file)
			}
		case p.Names || p.isRead(e.Name()):
			if *n++; *n > most {
				return errOther
			}
			err = file(filepath.Join(name, e.Name()), below)
		}
	}
	return err
}

// ignored reports whether patterns of the go command match nothing in directories of that name.
func ignored(name string) bool { return name[0] == '.' || name[0] == '_' || name == "testdata" }

// isRead reports whether the content of a file of that name counts.
func (p place) isRead(name string) bool {
	if !p.Dir || name == "go.mod" {
		return true
	}
	return strings.HasSuffix(name, ".go") && name[0] != '.' && name[0] != '_' && (p.Tests || !strings.HasSuffix(name, "_test.go"))
}

// look returns the files of a place. It is an error if one was changed, added or removed after
// before.
func (p place) look(before time.Time) (map[string]content, error) {
	files := make(map[string]content)
	old := func(name string) error {
		info, err := os.Stat(name)
		if err == nil && !info.ModTime().Before(before) {
			err = errOther
		}
		return err
	}
	return files, p.walk(old, func(name, rest string) error {
		if err := old(name); err != nil {
			return err
		}
		if !p.isRead(filepath.Base(name)) {
			files[rest] = content{}
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		files[rest] = content{Whole: sumOf(text)}
		if !p.Whole {
			files[rest] = content{sumOf(text), sumOf(head(text))}
		}
		return nil
	})
}

// same reports whether the files of a place are the ones that were seen.
func (s seen) same() bool {
	n := 0
	err := s.walk(func(string) error { return nil }, func(name, rest string) error {
		n++
		was, ok := s.Files[rest]
		if !ok {
			return errOther
		}
		if !s.isRead(filepath.Base(name)) {
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if !bytes.Equal(sumOf(text), was.Whole) && (s.Whole || !bytes.Equal(sumOf(head(text)), was.Head)) {
			return errOther
		}
		return nil
	})
	return err == nil && n == len(s.Files)
}

func sumOf(text []byte) []byte {
	sum := sha256.Sum256(text)
	return sum[:]
}

// head returns what go list reads of a Go file: its build constraints, its package clause and its
// imports, and the patterns of go:embed, which may be anywhere. For a file that is none it is all.
func head(text []byte) []byte {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", text, parser.ImportsOnly|parser.SkipObjectResolution)
	if err != nil {
		return text
	}
	end := f.Name.End()
	embeds := false
	for _, d := range f.Decls {
		end = max(end, d.End())
	}
	for _, i := range f.Imports {
		embeds = embeds || i.Path.Value == `"embed"` || i.Path.Value == "`embed`"
	}
	head := bytes.Clone(text[:fset.PositionFor(end, false).Offset])
	if embeds {
		for line := range bytes.Lines(text) {
			if bytes.Contains(line, []byte("//go:embed")) {
				head = append(head, line...)
			}
		}
	}
	return head
}
