package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// library is the path of sluice's module.
const library = "github.com/sluiceio/sluice"

// standardPackages are the packages of the standard library whose tests use files.
var standardPackages = []string{
	"os", "io", "io/fs", "io/ioutil", "bufio", "internal/poll", "archive/zip",
	"compress/gzip", "os/exec", "log", "text/template", "net/http", facadeSuite,
}

// standard builds the tests of packages of the standard library.
//
// These packages cannot import a module. So sluice is vendored into a copy of the toolchain's
// source, and the tests stay unchanged. The linker refuses sluice's linknames there unless
// -checklinkname=0 is set. The flag is in GOFLAGS because some tests run the go command.
func (w *workplace) standard(ctx context.Context, packages []string) ([]*suite, error) {
	text, err := command(ctx, "", nil, "go", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	goroot, probe := strings.TrimSpace(text), filepath.Join(w.dir, "probe")
	if err := writeFiles(probe, map[string]string{
		"go.mod": "module probe\n\ngo 1.26\n", "main.go": "package main\n\nfunc main() {}\n",
	}); err != nil {
		return nil, err
	}
	r := &toolchain{workplace: w, goroot: goroot, copy: filepath.Join(w.dir, "goroot"), probe: probe}
	if err := r.make(ctx); err != nil {
		return nil, err
	}
	plain := []string{"GOWORK=off"}
	ours := append(plain, "GOROOT="+r.copy, "PATH="+filepath.Join(r.copy, "bin")+":"+os.Getenv("PATH"),
		"GOFLAGS="+strings.TrimSpace(os.Getenv("GOFLAGS")+" -ldflags=-checklinkname=0"))
	var all []*suite
	for _, p := range packages {
		if p == facadeSuite {
			continue
		}
		s := &suite{
			name:   p,
			plain:  side{binary: w.binary("plain", p), dir: filepath.Join(goroot, "src", p), env: plain},
			sluice: side{binary: w.binary("sluice", p), dir: filepath.Join(r.copy, "src", p), env: ours},
			stress: side{binary: w.binary("stress", p), dir: filepath.Join(r.copy, "src", p), env: ours},
		}
		if w.off {
			s.plain = s.sluice
		}
		for _, v := range []side{s.plain, s.sluice, s.stress} {
			if err := w.build(ctx, probe, v, p); err != nil {
				return nil, err
			}
		}
		all = append(all, s.split(w.memory)...)
	}
	if slices.Contains(packages, facadeSuite) {
		s, err := w.facades(ctx, r, goroot, plain, ours)
		if err != nil {
			return nil, err
		}
		for _, w := range waivers {
			fmt.Printf("%-44s leaves out %s: %s\n", s.name, w.test, w.why)
		}
		all = append(all, s.split(w.memory)...)
	}
	return all, nil
}

// build builds the tests of a package of the standard library in a module, unless the binary is
// there or is not needed.
func (w *workplace) build(ctx context.Context, module string, v side, pkg string) error {
	if !w.lacks(v) {
		return nil
	}
	args := []string{"test", "-c", "-vet=off", "-o", v.binary}
	if filepath.Base(filepath.Dir(v.binary)) == "stress" {
		args = append(args, "-tags="+stressTag)
	}
	_, err := command(ctx, module, v.env, "go", append(args, pkg)...)
	return err
}

// stressTag is the build tag of package stress.
const stressTag = "sluice_stress"

// names matches the tests of package os that make thousands of files and directories to test their
// names. On a disk they take most of the time of package os's tests.
const names = "^(TestRootMulti.*|TestNonPollable)$"

// split splits the suite of package os in two if there is a directory in memory: the tests of names
// run there.
func (s *suite) split(memory string) []*suite {
	skip := names
	switch {
	case s.name == facadeSuite && memory == "":
		s.arg("-test.skip=" + waived())
		return []*suite{s}
	case s.name == facadeSuite:
		skip += "|" + waived()
	case s.name != "os" || memory == "":
		return []*suite{s}
	}
	few, many := *s, *s
	few.arg("-test.skip=" + skip)
	many.name += ", many names"
	many.arg("-test.run=" + names)
	many.plain.temp, many.sluice.temp, many.stress.temp = memory, memory, memory
	return []*suite{&few, &many}
}

// arg adds an argument to both sides.
func (s *suite) arg(arg string) {
	for _, v := range []*side{&s.plain, &s.sluice, &s.stress} {
		v.args = append(slices.Clip(v.args), arg)
	}
}

// binary returns the file name of a test binary.
func (w *workplace) binary(build, pkg string) string {
	return filepath.Join(w.dir, build, strings.ReplaceAll(pkg, "/", "-")+".test")
}

// toolchain is a copy of a toolchain's source.
type toolchain struct {
	*workplace
	goroot, copy string
	probe        string // a module in which the go command can run
}

func (t *toolchain) make(ctx context.Context) error {
	if there(t.copy) {
		return nil
	}
	if err := os.MkdirAll(t.copy, 0o777); err != nil {
		return err
	}
	entries, err := os.ReadDir(t.goroot)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name() == "src" {
			err = copyTree(ctx, filepath.Join(t.copy, "src"), filepath.Join(t.goroot, "src"))
		} else {
			err = os.Symlink(filepath.Join(t.goroot, e.Name()), filepath.Join(t.copy, e.Name()))
		}
		if err != nil {
			return err
		}
	}
	if err := t.change(ctx); err != nil {
		return err
	}
	if err := t.vendor(ctx); err != nil {
		return err
	}
	for _, p := range standardPackages {
		if p == facadeSuite {
			continue
		}
		text := "package " + path.Base(p) + "_test\n\nimport _ \"" + library + "/transparent\"\n"
		if err := writeFiles(filepath.Join(t.copy, "src", p), map[string]string{"zz_sluice_transparent_test.go": text}); err != nil {
			return err
		}
	}
	return nil
}

// change changes packages of the copy as sluice build does.
//
// `sluice overlay` refuses a toolchain in the module cache, because the go command replaces no file
// there. So it gets a link to the toolchain.
func (t *toolchain) change(ctx context.Context) error {
	sluice, err := t.tool(ctx)
	if err != nil {
		return err
	}
	link, dir := filepath.Join(t.dir, "toolchain"), filepath.Join(t.dir, "overlay")
	if err := os.Symlink(t.goroot, link); err != nil {
		return err
	}
	env := []string{
		"GOWORK=off", "SLUICE_SOURCE=" + t.source, "GOROOT=" + link, "GOTOOLCHAIN=local",
		"PATH=" + filepath.Join(link, "bin") + ":" + os.Getenv("PATH"),
	}
	if _, err := command(ctx, t.probe, env, sluice, "overlay", "-o", dir, "--", "./main.go"); err != nil {
		return err
	}
	changed := os.DirFS(filepath.Join(dir, "standard"))
	return fs.WalkDir(changed, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(changed, name)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(t.copy, "src", filepath.FromSlash(name)), text, 0o666)
	})
}

// vendor copies package transparent and the packages that it imports into the copy.
func (t *toolchain) vendor(ctx context.Context) error {
	// The files of the tag come besides all others.
	list, err := command(ctx, t.source, []string{"GOWORK=off"}, "go", "list", "-deps", "-f", vendored, "./transparent")
	if err != nil {
		return err
	}
	more, err := command(ctx, t.source, []string{"GOWORK=off"}, "go", "list", "-deps", "-tags="+stressTag, "-f", vendored, "./transparent")
	if err != nil {
		return err
	}
	for line := range strings.Lines(list + more) {
		words := strings.Fields(line)
		if len(words) != 3 {
			continue
		}
		text, err := os.ReadFile(filepath.Join(words[1], words[2]))
		if err != nil {
			return err
		}
		dir, name := path.Split(words[2]) // an embedded file may be in a directory
		if err := writeFiles(filepath.Join(t.copy, "src", "vendor", words[0], dir), map[string]string{name: string(text)}); err != nil {
			return err
		}
	}
	return nil
}

// vendored is the format in which go list prints the files of packages, one a line.
const vendored = `{{if not .Standard}}{{$p := .}}{{range .GoFiles}}{{$p.ImportPath}} {{$p.Dir}} {{.}}{{"\n"}}{{end}}` +
	`{{range .SFiles}}{{$p.ImportPath}} {{$p.Dir}} {{.}}{{"\n"}}{{end}}` +
	`{{range .EmbedFiles}}{{$p.ImportPath}} {{$p.Dir}} {{.}}{{"\n"}}{{end}}{{end}}`

// writeFiles makes a directory and writes files into it.
func writeFiles(dir string, files map[string]string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			return err
		}
	}
	return nil
}
