// Command release is for the maintainers of this tree. It must run in the tree's root.
//
//	go run ./dev/release tidy                     go mod tidy in each module
//	go run ./dev/release tag VERSION              set the modules' versions, check, commit, tag
//	go run ./dev/release notices GOOS/GOARCH DIR  write the licences of what the command has in it
//
// The modules require each other by version. go.work has the tree's directories in the places
// of that version, so that it need not be published. GoReleaser builds the archives of a tag; it
// calls notices (goreleaser.yaml).
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"

	"github.com/sluiceio/sluice/dev/internal/workspace"
)

var errUsage = errors.New("usage: go run ./dev/release tidy | tag VERSION | notices GOOS/GOARCH DIR")

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
	case len(args) == 3 && args[0] == "notices":
		return writeNotices(ctx, w.Root, args[1], args[2])
	}
	return errUsage
}
