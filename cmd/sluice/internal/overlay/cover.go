package overlay

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// The go command hands the cover tool the names of files as they are in the
// program's tree, past the overlay. Where it counts, the tool is therefore run by
// `sluice covertool` (go build -toolexec), which names it the files of the overlay, and
// has it count nothing in those that are not the program's or the toolchain's.

// covered is what the cover tool is to read in the place of a file.
type covered struct {
	File string
	// Uncounted: the file stays as it is.
	Uncounted bool
}

// writeCover writes, for Cover, which files replace contains.
func writeCover(name, dir string, replace map[string]string) error {
	standard := filepath.Join(dir, "standard") + string(filepath.Separator)
	files := make(map[string]covered)
	for asked, real := range replace {
		below, ok := strings.CutPrefix(real, standard)
		files[asked] = covered{File: real, Uncounted: !ok || filepath.ToSlash(below) == hooksFile}
	}
	text, err := json.Marshal(files)
	if err != nil {
		return err
	}
	return writeFile(name, text)
}

// Cover is a call of the go command's cover tool with which an overlay was made go.
type Cover struct {
	// Args are the command line to be run.
	Args    []string
	replace map[string]covered
	out     string   // the file that names those which the tool writes
	asked   []string // the files that it was to read, the last of Args
	stubs   string   // a directory of files without functions; "" without any
}

// NewCover prepares the call args, or returns nil if the command is another. File is
// Overlay.Cover. The caller calls Finish.
func NewCover(file string, args []string) (*Cover, error) {
	at := slices.Index(args, "-outfilelist")
	if at < 0 || at+1 == len(args) || !slices.Contains(args, "-pkgcfg") {
		return nil, nil
	}
	c := &Cover{Args: slices.Clone(args), out: args[at+1], asked: args[at+2:]}
	text, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(text, &c.replace)
	}
	if err != nil {
		return nil, err
	}
	for i, name := range c.asked {
		if with, ok := c.replace[name]; ok {
			if c.Args[at+2+i], err = c.input(i, with); err != nil {
				c.removeStubs()
				return nil, err
			}
		}
	}
	return c, nil
}

// input returns the file that the tool reads in the place of the i-th: a stub, if
// nothing of it is to be counted.
func (c *Cover) input(i int, with covered) (string, error) {
	if !with.Uncounted {
		return with.File, nil
	}
	f, err := parser.ParseFile(token.NewFileSet(), with.File, nil, parser.PackageClauseOnly)
	if err != nil {
		return "", err
	}
	if c.stubs == "" {
		if c.stubs, err = os.MkdirTemp("", "sluice-cover-"); err != nil {
			return "", err
		}
	}
	stub := filepath.Join(c.stubs, fmt.Sprint(i, ".go"))
	return stub, writeFile(stub, []byte("package "+f.Name.Name+"\n"))
}

// Finish puts in order, after the tool has run, what it has written.
func (c *Cover) Finish() error {
	defer c.removeStubs()
	text, err := os.ReadFile(c.out)
	if err != nil {
		return err
	}
	outputs := strings.Split(strings.TrimSpace(string(text)), "\n")
	if len(outputs) != len(c.asked)+1 { // the first has the counters
		return fmt.Errorf("the cover tool has %d files to write of %d; want one more", len(outputs), len(c.asked))
	}
	for i, name := range c.asked {
		if with, ok := c.replace[name]; ok {
			if err := with.finish(name, outputs[i+1]); err != nil {
				return err
			}
		}
	}
	return nil
}

// finish writes an output: with the name that the file is asked for by, in a line directive.
func (w covered) finish(asked, output string) error {
	from := output
	if w.Uncounted {
		from = w.File
	}
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if !w.Uncounted { // its first line names w.File
		_, text, _ = bytes.Cut(text, []byte("\n"))
	}
	return os.WriteFile(output, append(fmt.Appendf(nil, "//line %s:1:1\n", asked), text...), 0o666)
}

func (c *Cover) removeStubs() {
	if c.stubs != "" {
		_ = os.RemoveAll(c.stubs) // in the temporary directory
	}
}
