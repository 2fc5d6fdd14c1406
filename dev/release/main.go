// Command release is for the maintainers of this tree. It must run in the tree's root.
//
//	go run ./dev/release tidy               go mod tidy in each module
//	go run ./dev/release tag VERSION        set the modules' versions, check, commit, tag
//	go run ./dev/release build VERSION DIR  the archives of a tagged version
//	go run ./dev/release try VERSION DIR    archives of any tree, for this platform alone
//
// The modules require each other by version. go.work replaces that version by the tree's
// directories, so it need not be published.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/sluiceio/sluice/dev/internal/workspace"
)

var errUsage = errors.New("usage: go run ./dev/release tidy | tag VERSION | build VERSION DIR | try VERSION DIR")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	w, err := workspace.Load(".")
	if err != nil {
		return fmt.Errorf("not in the root of the tree: %w", err)
	}
	switch {
	case len(args) == 1 && args[0] == "tidy":
		return w.Tidy(ctx)
	case len(args) == 2 && args[0] == "tag":
		return tag(ctx, w, args[1])
	case len(args) == 3 && args[0] == "build":
		if err := atTag(ctx, w, args[1]); err != nil {
			return err
		}
		return build(ctx, w, args[1], args[2], platforms)
	case len(args) == 3 && args[0] == "try":
		return build(ctx, w, args[1], args[2], []string{runtime.GOOS + "/" + runtime.GOARCH})
	}
	return errUsage
}

// atTag returns an error if the tree differs from the version's tag.
func atTag(ctx context.Context, w *workspace.Workspace, version string) error {
	if err := workspace.CheckVersion(version); err != nil {
		return err
	}
	tagged, err := git(ctx, w, "rev-parse", "-q", "--verify", "refs/tags/"+version+"^{commit}")
	if err != nil {
		return fmt.Errorf("there is no tag %s: make it with make tag VERSION=%[1]s", version)
	}
	head, err := git(ctx, w, "rev-parse", "HEAD")
	if err != nil {
		return err
	}
	changed, err := git(ctx, w, "status", "--porcelain")
	switch {
	case err != nil:
		return err
	case head != tagged:
		return fmt.Errorf("the tree is at %.12s, and %s at %.12s: git checkout %[2]s", head, version, tagged)
	case changed != "":
		return fmt.Errorf("the tree has changes: the archives of %s must be those of its commit", version)
	}
	return nil
}

// build builds the archives of the tree's last commit.
func build(ctx context.Context, w *workspace.Workspace, version, out string, platforms []string) error {
	if err := workspace.CheckVersion(version); err != nil {
		return err
	}
	text, err := git(ctx, w, "show", "-s", "--format=%H %ct", "HEAD")
	if err != nil {
		return err
	}
	commit, seconds, _ := strings.Cut(text, " ")
	at, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return err
	}
	if out, err = filepath.Abs(out); err != nil {
		return err
	}
	const module = "github.com/sluiceio/sluice"
	r := &release{
		root: w.Root, version: version, commit: commit, time: time.Unix(at, 0),
		pkg: module + "/cmd/sluice", stamped: module + "/bench/cli", platforms: platforms, out: out,
	}
	return r.build(ctx)
}
