package main

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
)

// program is a module whose tests are run.
type program struct {
	name, module string // the module has a version
	packages     []string
	// args are for the test binaries. Each has a comment with the reason for leaving tests out.
	args []string
}

var programs = []*program{
	{
		// Its directory "tests" needs device-mapper and generated code.
		name: "bbolt", module: "go.etcd.io/bbolt@v1.5.0", packages: []string{".", "./cmd/...", "./internal/..."},
		// TestDB_Put_VeryLarge takes two minutes.
		args: []string{"-test.short"},
	},
	{
		// Its main package takes about five minutes on each side, and one minute of CPU.
		name: "badger", module: "github.com/dgraph-io/badger/v4@v4.9.6", packages: []string{".", "./table", "./skl", "./trie", "./y"},
	},
	{
		name: "goleveldb", module: "github.com/syndtr/goleveldb@v1.0.1-0.20220721030215-126854af5e6d",
		packages: []string{"./leveldb", "./leveldb/storage", "./leveldb/journal", "./leveldb/table", "./leveldb/util"},
	},
	{name: "lumberjack", module: "gopkg.in/natefinch/lumberjack.v2@v2.2.1", packages: []string{"."}},
	{name: "tidwall-wal", module: "github.com/tidwall/wal@v1.1.8", packages: []string{"."}},
	{
		name: "pebble-vfs", module: "github.com/cockroachdb/pebble/v2@v2.1.7", packages: []string{"./vfs/..."},
	},
	{
		name: "rclone", module: "github.com/rclone/rclone@v1.76.0",
		packages: []string{"./backend/local", "./vfs/vfscache/...", "./lib/file", "./fs/config/configfile"},
	},
}

// program builds the tests of a program in a copy of its tree, by go test and by sluice test.
func (w *workplace) program(ctx context.Context, p *program) ([]*suite, error) {
	tree, err := w.fetch(ctx, p)
	if err != nil {
		return nil, err
	}
	sluice, err := w.tool(ctx)
	if err != nil {
		return nil, err
	}
	env := []string{"GOWORK=off", "SLUICE_SOURCE=" + w.source}
	list, err := command(ctx, tree, env, "go", append([]string{
		"list", "-f", "{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}} {{.Dir}}{{end}}",
	}, p.packages...)...)
	if err != nil {
		return nil, err
	}
	var all []*suite
	for line := range strings.Lines(list) {
		pkg, dir, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok {
			continue
		}
		s := &suite{
			name:   pkg,
			plain:  side{binary: w.binary("plain", pkg), dir: dir, env: env, args: p.args},
			sluice: side{binary: w.binary("sluice", pkg), dir: dir, env: env, args: p.args},
			stress: side{binary: w.binary("stress", pkg), dir: dir, env: env, args: p.args},
		}
		if w.off {
			s.plain = s.sluice
		}
		for _, b := range []struct {
			side
			command []string
		}{
			{s.plain, []string{"go", "test"}},
			{s.sluice, []string{sluice, "test"}},
			{s.stress, []string{sluice, "test", "--stress"}},
		} {
			if !w.lacks(b.side) {
				continue
			}
			if _, err := command(ctx, tree, env, b.command[0], append(b.command[1:], "-c", "-o", b.binary, pkg)...); err != nil {
				return nil, err
			}
		}
		all = append(all, s)
	}
	return all, nil
}

// fetch downloads the program, and returns a copy of its tree.
func (w *workplace) fetch(ctx context.Context, p *program) (string, error) {
	text, err := command(ctx, w.dir, []string{"GOWORK=off"}, "go", "mod", "download", "-json", p.module)
	if err != nil {
		return "", err
	}
	var module struct{ Dir string }
	if err := json.Unmarshal([]byte(text), &module); err != nil {
		return "", err
	}
	tree := filepath.Join(w.dir, p.name)
	return tree, copyTree(ctx, tree, module.Dir)
}
