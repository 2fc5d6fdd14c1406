package main

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// facadeSuite is the name of the suite that runs package os's tests on sluice.File.
const facadeSuite = "os-by-sluice"

// waivers are tests that are left out on all sides, with the reason.
var waivers = []struct{ test, why string }{
	{"^TestCopyFile$/^NotRegular$/^(DstPipe|SrcPipe)$", "it asks whether a function of internal/poll was called; sluice makes the system calls itself"},
	{"^TestSendFile$", "it waits for poll.TestHookDidSendFile, which poll.SendFile calls; sluice makes the system call itself"},
	{"^ExampleReadFile$", "package testing sees what is written to package os's variable Stdout, and the facade has another"},
}

// waived returns the pattern of the waivers for -test.skip.
func waived() string {
	var all []string
	for _, w := range waivers {
		all = append(all, w.test)
	}
	return strings.Join(all, "|")
}

// facadePath is the import path of the package that these tests import in place of package os.
const facadePath = "internal/osfacade"

// facade adds package internal/osfacade to the copy of the toolchain, with package os's tests. It
// exports all of package os's names, with sluice's versions of those that package sluice has. The
// tests differ from package os's only in their imports. Package os has further variables for its
// tests, which become part of the facade.
func (t *toolchain) facade() error {
	src := filepath.Join(t.copy, "src", "os")
	to := filepath.Join(t.copy, "src", filepath.FromSlash(facadePath))
	tests, err := filepath.Glob(filepath.Join(src, "*_test.go"))
	if err != nil {
		return err
	}
	for _, name := range tests {
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		base := filepath.Base(name)
		if strings.HasPrefix(base, "export_") {
			// "export_linux_test.go" becomes "zz_export_linux.go", with the same build constraint.
			if err := os.Rename(name, filepath.Join(src, "zz_"+strings.TrimSuffix(base, "_test.go")+".go")); err != nil {
				return err
			}
			continue
		}
		if base == "zz_sluice_transparent_test.go" {
			continue
		}
		changed := swap(string(text))
		if err := writeFiles(to, map[string]string{base: changed}); err != nil {
			return err
		}
	}
	text, err := facadeText(t.copy, src)
	if err != nil {
		return err
	}
	return writeFiles(to, map[string]string{"facade.go": text, "file.go": facadeFile})
}

// forExec matches places that give a File to package os/exec. Package os/exec gives a child the
// descriptor of an *os.File, and copies the bytes of any other reader.
var (
	extraFiles = regexp.MustCompile(`ExtraFiles = \[\]\*os\.File\{(\w+)\}`)
	standard   = regexp.MustCompile(`(?m)(\w+\.Std)(in|out|err) = ([^,{\n]+)$`)
)

// swap returns the source of a test with the facade imported in place of package os.
func swap(text string) string {
	name := "os."
	if strings.Contains(text, "\t. \"os\"\n") {
		name = ""
	}
	// Only the first one is the import; the tests also contain programs.
	text = strings.Replace(text, "\t\"os\"\n", "\t\""+facadePath+"\"\n", 1)
	text = strings.Replace(text, "\t. \"os\"\n", "\t. \""+facadePath+"\"\n", 1)
	text = extraFiles.ReplaceAllString(text, "ExtraFiles = []*os.RealFile{$1.OSFile()}")
	return standard.ReplaceAllString(text, "${1}${2} = "+name+"ForStd${2}($3)")
}

// facadeText returns the source that exports the names of the package in dir that facadeFile lacks.
func facadeText(goroot, dir string) (string, error) {
	c := build.Default
	c.GOROOT = goroot
	p, err := c.ImportDir(dir, 0)
	if err != nil {
		return "", err
	}
	own, err := exported(token.NewFileSet(), "file.go", facadeFile)
	if err != nil {
		return "", err
	}
	var lines []string
	for _, name := range p.GoFiles {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return "", err
		}
		all, err := exported(token.NewFileSet(), name, string(text))
		if err != nil {
			return "", err
		}
		for name, kind := range all {
			switch {
			case own[name] != "":
			case kind == "type" || kind == "const":
				lines = append(lines, fmt.Sprintf("%s %s = os.%s\n", kind, name, name))
			default:
				lines = append(lines, fmt.Sprintf("var %s = os.%s\n", name, name))
			}
		}
	}
	slices.Sort(lines)
	return "package os\n\nimport \"os\"\n\n" + strings.Join(lines, ""), nil
}

// exported returns the names that a file exports. The value of each is "type", "const", "var" or
// "func".
func exported(set *token.FileSet, name, text string) (map[string]string, error) {
	f, err := parser.ParseFile(set, name, text, 0)
	if err != nil {
		return nil, err
	}
	all := make(map[string]string)
	add := func(id *ast.Ident, kind string) {
		if id.IsExported() {
			all[id.Name] = kind
		}
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				add(d.Name, "func")
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					add(s.Name, "type")
				case *ast.ValueSpec:
					for _, id := range s.Names {
						add(id, d.Tok.String())
					}
				}
			}
		}
	}
	return all, nil
}

// facades builds the suite. Its plain side is package os's own tests, with the unchanged toolchain.
func (w *workplace) facades(ctx context.Context, t *toolchain, goroot string, plain, ours []string) (*suite, error) {
	s := &suite{
		name:   facadeSuite,
		plain:  side{binary: w.binary("plain", "os"), dir: filepath.Join(goroot, "src", "os"), env: plain},
		sluice: side{binary: w.binary("sluice", facadeSuite), dir: filepath.Join(t.copy, "src", "os"), env: ours},
	}
	s.stress = side{binary: w.binary("stress", facadeSuite), dir: s.sluice.dir, env: ours}
	if err := w.build(ctx, t.probe, s.plain, "os"); err != nil {
		return nil, err
	}
	if (w.lacks(s.sluice) || w.lacks(s.stress)) && !there(filepath.Join(t.copy, "src", filepath.FromSlash(facadePath))) {
		if err := t.facade(); err != nil {
			return nil, err
		}
	}
	return s, errors.Join(w.build(ctx, t.probe, s.sluice, facadePath), w.build(ctx, t.probe, s.stress, facadePath))
}

// facadeFile is the part of the facade with sluice's functions. It wraps package os's functions of
// *os.File.
const facadeFile = `// Package os is package os with the files of package sluice.
package os

import (
	"fmt"
	"io"
	"os"
	"syscall"

	"github.com/sluiceio/sluice"
)

type File = sluice.File

// RealFile is what package os/exec takes.
type RealFile = os.File

// ForStdin, ForStdout and ForStderr return what package os/exec is given: the *os.File of a File.
func ForStdin(r io.Reader) io.Reader {
	if f, ok := r.(*File); ok {
		return f.OSFile()
	}
	return r
}

func ForStdout(w io.Writer) io.Writer {
	if f, ok := w.(*File); ok {
		return f.OSFile()
	}
	return w
}

func ForStderr(w io.Writer) io.Writer { return ForStdout(w) }

var (
	Open       = sluice.Open
	Create     = sluice.Create
	OpenFile   = sluice.OpenFile
	CreateTemp = sluice.CreateTemp
	NewFile    = sluice.NewFile
	OpenInRoot = sluice.OpenInRoot
	ReadFile   = sluice.ReadFile
	WriteFile  = sluice.WriteFile
	DirFS      = sluice.DirFS
)

var (
	Stdin  = must(sluice.FromOS(os.Stdin))
	Stdout = must(sluice.FromOS(os.Stdout))
	Stderr = must(sluice.FromOS(os.Stderr))
)

func must(f *File, err error) *File {
	if err != nil {
		panic(err)
	}
	return f
}

// adopt returns the File of what package os has opened.
func adopt(f *os.File, err error) (*File, error) {
	if err != nil {
		return nil, err
	}
	return sluice.FromOS(f)
}

func Pipe() (r, w *File, err error) {
	a, b, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	return must(sluice.FromOS(a)), must(sluice.FromOS(b)), nil
}

type ProcAttr struct {
	Dir   string
	Env   []string
	Files []*File
	Sys   *syscall.SysProcAttr
}

func StartProcess(name string, argv []string, attr *ProcAttr) (*os.Process, error) {
	if attr == nil {
		return os.StartProcess(name, argv, nil)
	}
	a := &os.ProcAttr{Dir: attr.Dir, Env: attr.Env, Sys: attr.Sys}
	for _, f := range attr.Files {
		if f == nil {
			a.Files = append(a.Files, nil)
			continue
		}
		a.Files = append(a.Files, f.OSFile())
	}
	return os.StartProcess(name, argv, a)
}

type Root struct{ *os.Root }

func OpenRoot(name string) (*Root, error) {
	r, err := os.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	return &Root{r}, nil
}

func (r *Root) OpenRoot(name string) (*Root, error) {
	in, err := r.Root.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	return &Root{in}, nil
}

func (r *Root) Open(name string) (*File, error)   { return adopt(r.Root.Open(name)) }
func (r *Root) Create(name string) (*File, error) { return adopt(r.Root.Create(name)) }
func (r *Root) OpenFile(name string, flag int, perm os.FileMode) (*File, error) {
	return adopt(r.Root.OpenFile(name, flag, perm))
}

func SetStatHook(t interface{ Cleanup(func()) }, f func(f *File, name string) (os.FileInfo, error)) {
	os.SetStatHook(t, func(in *os.File, name string) (os.FileInfo, error) {
		if in == nil {
			return f(nil, name)
		}
		return f(new(File), name) // the tests only ask whether there is one
	})
}

// SLUICE_STATS asks whether the driver of SLUICE_DRIVER is in use.
func init() {
	if os.Getenv("SLUICE_STATS") == "" {
		return
	}
	if _, err := sluice.Default(); err != nil {
		fmt.Fprintln(os.Stderr, "sluice: not in use:", err)
		return
	}
	fmt.Fprintf(os.Stderr, "sluice: driver %s: that of sluice.Default\n", os.Getenv("SLUICE_DRIVER"))
}
`
