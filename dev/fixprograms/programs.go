package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// program is a module that is rewritten.
type program struct {
	name, what, module string   // with version
	tags               string   // build tags
	patterns           string   // the packages to rewrite; "" means all
	test               string   // flags and packages of go test; "" means the tests of all packages
	whole              string   // what other tests there are, and why they are left out
	siblings           []string // modules that its go.mod replaces by directories beside it
}

var programs = []*program{
	{name: "lumberjack", what: "log files with rotation", module: "gopkg.in/natefinch/lumberjack.v2@v2.2.1"},
	{name: "wal", what: "write-ahead log", module: "github.com/tidwall/wal@v1.2.1"},
	{name: "buntdb", what: "key-value store", module: "github.com/tidwall/buntdb@v1.3.0"},
	{name: "diskv", what: "key-value store, a file a key", module: "github.com/peterbourgon/diskv/v3@v3.0.1"},
	{name: "age", what: "encryption of files, command", module: "filippo.io/age@v1.2.1"},
	{
		name: "goleveldb", what: "key-value store", module: "github.com/syndtr/goleveldb@v1.0.1-0.20220721030215-126854af5e6d",
		test:  "./leveldb/storage ./leveldb/journal ./leveldb/table ./leveldb/util",
		whole: "the tests of package leveldb take minutes, and package storage has all its files",
	},
	{
		name: "etcd", what: "key-value store, server", module: "go.etcd.io/etcd/server/v3@v3.7.3",
		test:  "./storage/...",
		whole: "the other packages open few files",
		siblings: []string{
			"go.etcd.io/etcd/api/v3", "go.etcd.io/etcd/client/pkg/v3",
			"go.etcd.io/etcd/client/v3", "go.etcd.io/etcd/pkg/v3",
		},
	},
	{
		name: "victoriametrics", what: "time series database", module: "github.com/VictoriaMetrics/VictoriaMetrics@v1.148.8",
		patterns: "./lib/...",
		test:     "-short -timeout=40m ./lib/fs/... ./lib/backup/... ./lib/persistentqueue ./lib/filestream ./lib/envtemplate ./lib/mergeset ./lib/storage",
		whole:    "these packages have the files of the database",
	},
	{
		name: "nats", what: "message broker", module: "github.com/nats-io/nats-server/v2@v2.15.3",
		test:  "-short -timeout=40m -run=^TestFileStore[ADF-LNOPTU] ./server",
		whole: "the file store has the files; its 299 tests take more than ten minutes, and these are a third of them, by their first letter",
	},
	{
		name: "restic", what: "backups, command", module: "github.com/restic/restic@v0.18.1",
		test:  "-short -timeout=40m ./internal/fs ./internal/backend/local ./internal/backend/cache ./internal/repository ./internal/archiver ./internal/restorer ./internal/textfile ./internal/options",
		whole: "these packages open files",
	},
	{
		name: "syncthing", what: "synchronization of directories", module: "github.com/syncthing/syncthing@v1.30.0",
		tags:  "noassets", // the module lacks generated files
		test:  "-short -timeout=40m ./lib/fs ./lib/osutil ./lib/config ./lib/scanner ./lib/versioner ./lib/ignore ./lib/logger ./lib/tlsutil ./lib/db/backend",
		whole: "these packages open files",
	},
}

// workplace is the directory in which programs are rewritten.
type workplace struct {
	source string // the root of sluice's module
	dir    string
	sluice string // the command
}

// outcome is the result of a program.
type outcome struct {
	*program `json:"-"`
	Module   string `json:"module"` // with version
	Date     string `json:"date"`
	Go       string `json:"go"` // the Go version in go.mod before, and after
	Fixed    *fixed `json:"fixed"`
}

// try rewrites a program and runs its tests before and after.
func (w *workplace) try(ctx context.Context, p *program) (*outcome, error) {
	tree, err := w.fetch(ctx, p)
	if err != nil {
		return nil, err
	}
	before, err := goLine(ctx, tree)
	if err != nil {
		return nil, err
	}
	say("%s: sluice fix -verify", p.name)
	o := &outcome{program: p, Module: p.module, Date: time.Now().Format(time.DateOnly)}
	args := []string{"-verify", "-tags=" + p.tags}
	if p.test != "" { // an empty value is an error
		args = append(args, "-test="+p.test)
	}
	if o.Fixed, err = w.fix(ctx, tree, append(args, cmp.Or(p.patterns, "./..."))...); err != nil || len(o.Fixed.Differ) > 0 {
		return o, err
	}
	after, err := goLine(ctx, tree)
	if err != nil {
		return nil, err
	}
	o.Go = before + ", " + after
	again, err := w.fix(ctx, tree, "-tags="+p.tags, cmp.Or(p.patterns, "./..."))
	if err == nil && again.Files > 0 {
		err = errors.New("sluice fix finds something to change in what it has changed")
	}
	return o, err
}

// fetch downloads the program, and returns a copy of its tree.
func (w *workplace) fetch(ctx context.Context, p *program) (string, error) {
	text, err := command(ctx, w.dir, "go", "mod", "download", "-json", p.module)
	if err != nil {
		return "", err
	}
	var module struct{ Dir string }
	if err := json.Unmarshal([]byte(text), &module); err != nil {
		return "", err
	}
	tree := filepath.Join(w.dir, p.name)
	if _, err := command(ctx, "", "cp", "-r", module.Dir, tree); err != nil {
		return "", err
	}
	if _, err = command(ctx, "", "chmod", "-R", "u+w", tree); err != nil {
		return "", err
	}
	return tree, p.useReleases(ctx, tree)
}

// useReleases lets go.mod take the releases of its siblings, which are not in the tree.
func (p *program) useReleases(ctx context.Context, tree string) error {
	if len(p.siblings) == 0 {
		return nil
	}
	args := []string{"mod", "edit", "-toolchain=none"}
	for _, name := range p.siblings {
		args = append(args, "-dropreplace="+name)
	}
	_, err := command(ctx, tree, "go", args...)
	return err
}

// goLine returns the version in the line "go" of go.mod.
func goLine(ctx context.Context, tree string) (string, error) {
	out, err := command(ctx, tree, "go", "list", "-m", "-f", "{{.GoVersion}}")
	return strings.TrimSpace(out), err
}

func environment() []string {
	return append(os.Environ(), "GOWORK=off", "GOFLAGS=-buildvcs=false -mod=mod")
}

// command runs a command and returns its standard output, even if it fails.
func command(ctx context.Context, dir, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = dir, environment()
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, stderr.String())
	}
	return string(out), err
}

func say(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }
