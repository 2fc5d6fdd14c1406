package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sluiceio/sluice/cmd/sluice/internal/overlay"
)

// go test runs vet itself, in the directory of each package. The directories of the library exist
// only in the overlay, so vet cannot run there. So `sluice test` has go vet find the packages that
// fail, has go test without the library say what it says of them, and makes their tests not compile
// in the run with the library. There it replaces the compiler's message by that of vet. All else,
// and the order, is go test's own.

// vetFailure is a package that vet refuses.
type vetFailure struct {
	overlay.Failing
	text        []byte   // what go test prints of it, without -json
	events      [][]byte // the same, with -json
	failedBuild string   // the name of what failed in the package's last event
	shown       bool
}

// vetted are the checks of vet that go test makes.
var vetted = []string{
	"-atomic", "-bool", "-buildtags", "-directive", "-errorsas", "-ifaceassert",
	"-nilfunc", "-printf", "-slog", "-stringintconv", "-tests",
}

// vet runs the checks of vet that go test would run, and prepares the run of go test: that one is
// not to run them. Errors of the packages themselves are left to go test.
func (b *built) vet(ctx context.Context) error {
	checks := vetted
	switch mode := b.line.Vet; mode {
	case "off":
		b.line.Flags = append(b.line.Flags, "-vet=off") // GOFLAGS may say more than that
		return nil
	case "":
	case "all":
		checks = nil
	default:
		checks = nil
		for check := range strings.SplitSeq(mode, ",") {
			checks = append(checks, "-"+check)
		}
	}
	if len(b.overlay.Named) > 0 {
		refused, err := b.refused(ctx, checks)
		if err != nil {
			return err
		}
		for _, p := range refused {
			if err := b.fail(ctx, p); err != nil {
				return err
			}
		}
	}
	b.line.Flags = append(b.line.Flags, "-vet=off")
	return nil
}

// refused returns the packages that vet refuses.
func (b *built) refused(ctx context.Context, checks []string) (found []overlay.Package, err error) {
	packages := b.line.Packages
	// Some may have errors, with which vet checks none
	if len(packages) == 0 || filepath.Ext(packages[0]) != ".go" {
		packages = nil
		for _, p := range b.overlay.Named {
			packages = append(packages, p.ImportPath)
		}
	}
	cmd := b.command("vet", b.overlay.Standard, slices.Concat([]string{"-json"}, checks, b.line.Select), packages)
	out, _, err := output(ctx, cmd)
	if err != nil {
		return nil, err
	}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var diagnostics map[string]json.RawMessage // by package
		if err := d.Decode(&diagnostics); err == io.EOF {
			return found, nil
		} else if err != nil {
			return nil, fmt.Errorf("go vet: %w", err)
		}
		for name := range diagnostics {
			name, _, _ = strings.Cut(name, " ") // of a package with its tests: "path [path.test]"
			i := slices.IndexFunc(b.overlay.Named, func(p overlay.Package) bool { return name == p.ImportPath || name == p.ImportPath+"_test" })
			if i >= 0 && !slices.Contains(found, b.overlay.Named[i]) {
				found = append(found, b.overlay.Named[i])
			}
		}
	}
}

// fail has go test say what it says of a package that vet refuses, and makes its tests not compile.
func (b *built) fail(ctx context.Context, p overlay.Package) error {
	packages := []string{p.ImportPath}
	if len(b.line.Packages) > 0 && filepath.Ext(b.line.Packages[0]) == ".go" {
		packages = b.line.Packages
	}
	// If vet finds nothing now, no test may run: it would run without the library.
	flags := append(slices.Clone(b.line.Flags), "-exec=false")
	out, text, err := output(ctx, b.command("test", b.overlay.Standard, flags, packages))
	if err != nil {
		return err
	}
	f := &vetFailure{text: text}
	for line := range bytes.Lines(out) {
		switch e := eventOf(line); {
		case strings.HasPrefix(e.Action, "build-"):
			f.events = append(f.events, bytes.Clone(line))
		case e.FailedBuild != "":
			f.failedBuild = e.FailedBuild
		}
	}
	if !bytes.Contains(out, []byte("[build failed]")) && !b.line.Has("c") {
		return nil
	}
	if f.Failing, err = b.overlay.Fail(b.dir, p); err == nil {
		b.failed = append(b.failed, f)
	}
	return err
}

// output runs a command whose status says nothing, and returns what it prints.
func output(ctx context.Context, cmd *exec.Cmd) (stdout, stderr []byte, err error) {
	var out, text bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &text
	err = runForwarding(cmd)
	if err := ctx.Err(); err != nil {
		return nil, nil, context.Cause(ctx)
	}
	if cmd.ProcessState == nil {
		return nil, nil, err
	}
	return out.Bytes(), text.Bytes(), nil
}

// event is a line of go test -json.
type event struct{ Action, ImportPath, FailedBuild string }

// eventOf returns the zero event for a line that is none.
func eventOf(line []byte) (e event) {
	_ = json.Unmarshal(line, &e)
	return e
}

// showFailures has what cmd prints of the packages that vet refuses replaced. The function that it
// returns is called when cmd has ended.
func (b *built) showFailures(cmd *exec.Cmd) (end func() error) {
	switch {
	case len(b.failed) == 0:
		return func() error { return nil }
	case b.line.Has("json"):
		l := &lines{to: os.Stdout, each: b.showEvent}
		cmd.Stdout = l
		return l.flush
	}
	l := &lines{to: os.Stderr, each: b.showText}
	cmd.Stderr = l
	return l.flush
}

// showText returns what is printed in place of a line of a message of the compiler.
func (b *built) showText(line []byte) []byte {
	for _, f := range b.failed {
		switch {
		case string(line) == "# "+f.Build+"\n":
			return f.text
		case bytes.Contains(line, []byte(f.File+":")):
			return nil
		}
	}
	return line
}

// showEvent is showText with -json.
func (b *built) showEvent(line []byte) []byte {
	e := eventOf(line)
	for _, f := range b.failed {
		switch {
		case e.ImportPath == f.Build && strings.HasPrefix(e.Action, "build-"):
			if f.shown {
				return nil
			}
			f.shown = true
			return bytes.Join(f.events, nil)
		case e.FailedBuild == f.Build:
			was, is := fmt.Sprintf(`"FailedBuild":%q`, f.Build), fmt.Sprintf(`"FailedBuild":%q`, f.failedBuild)
			return bytes.Replace(line, []byte(was), []byte(is), 1)
		}
	}
	return line
}

// lines hands each line on as each returns it.
type lines struct {
	to   io.Writer
	each func(line []byte) []byte
	rest []byte // of a line that has not ended
}

// Write implements io.Writer.
func (l *lines) Write(b []byte) (int, error) {
	l.rest = append(l.rest, b...)
	for {
		i := bytes.IndexByte(l.rest, '\n')
		if i < 0 {
			return len(b), nil
		}
		if _, err := l.to.Write(l.each(l.rest[:i+1])); err != nil {
			return 0, err
		}
		l.rest = l.rest[i+1:]
	}
}

// flush writes a last line that has no end.
func (l *lines) flush() error {
	_, err := l.to.Write(l.rest)
	return err
}
