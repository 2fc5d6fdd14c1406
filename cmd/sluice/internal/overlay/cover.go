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

// The go command calls the cover tool with the names of files in the program's tree,
// without regard to the overlay. With -cover, `sluice covertool` therefore runs the tool
// (go build -toolexec). It replaces the names by those of the overlay's files, and
// excludes files of the library from the coverage profile.

// covered is the file that the cover tool reads instead of another.
type covered struct {
	File string
	// Uncounted excludes the file from the profile.
	Uncounted bool
}

// writeCover writes the files of replace to a file that NewCover reads. standard are the files
// among them of the standard library in goroot.
func writeCover(name, goroot string, standard, replace map[string]string) error {
	hooks := filepath.Join(goroot, "src", filepath.FromSlash(hooksFile))
	files := make(map[string]covered)
	for asked, real := range replace {
		_, ok := standard[asked]
		files[asked] = covered{File: real, Uncounted: !ok || asked == hooks}
	}
	text, err := json.Marshal(files)
	if err != nil {
		return err
	}
	return writeFile(name, text)
}

// Cover is a call of the go command's cover tool that reads the files of an overlay.
type Cover struct {
	// Args is the command line to run.
	Args    []string
	replace map[string]covered
	out     string   // the file with the names of the tool's output files
	asked   []string // the input files of the original call, the last of its arguments
	stubs   string   // a directory of files without functions; "" if there are none
}

// NewCover prepares the call args. It returns nil if args is not a call of the cover
// tool. file is Overlay.Cover. The caller must call Finish after the tool has run.
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

// input returns the file that the tool reads instead of the i-th. For an uncounted file
// this is a stub without functions.
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

// Finish corrects the files that the tool has written, and removes the stubs.
func (c *Cover) Finish() error {
	defer c.removeStubs()
	text, err := os.ReadFile(c.out)
	if err != nil {
		return err
	}
	outputs := strings.Split(strings.TrimSpace(string(text)), "\n")
	if len(outputs) != len(c.asked)+1 { // the first has the counters
		return fmt.Errorf("the cover tool writes %d files for %d input files; want one more than these", len(outputs), len(c.asked))
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

// finish rewrites an output file, with a line directive for the file's name in the
// program's tree.
func (c covered) finish(asked, output string) error {
	from := output
	if c.Uncounted {
		from = c.File
	}
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if !c.Uncounted { // its first line names c.File
		_, text, _ = bytes.Cut(text, []byte("\n"))
	}
	return os.WriteFile(output, append(fmt.Appendf(nil, "//line %s:1:1\n", asked), text...), 0o666)
}

func (c *Cover) removeStubs() {
	if c.stubs != "" {
		_ = os.RemoveAll(c.stubs) // in the temporary directory
	}
}
