// Command release is for the maintainers of this tree. It must run in the tree's root.
//
//	go run ./cmd/sluice/release tidy            go mod tidy in each module
//	go run ./cmd/sluice/release tag VERSION     set the modules' versions, check, commit, tag
//
// The modules require each other by version. go.work has the tree's directories in the places
// of that version, so that it need not be published.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"

	"github.com/sluiceio/sluice/cmd/sluice/internal/workspace"
)

var errUsage = errors.New("usage: go run ./cmd/sluice/release tidy | tag VERSION")

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
	}
	return errUsage
}
