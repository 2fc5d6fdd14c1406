package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sluiceio/sluice/dev/internal/workspace"
)

// tag sets the versions in the modules, checks that each module builds as published, commits the
// changes, and makes a tag for each module. It pushes nothing.
func tag(ctx context.Context, w *workspace.Workspace, version string) error {
	if err := workspace.CheckVersion(version); err != nil {
		return err
	}
	if err := ready(ctx, w, version); err != nil {
		return err
	}
	err := w.Set(version)
	if err == nil {
		err = w.Sums(ctx, version)
	}
	if err == nil {
		err = w.Check(ctx, version)
	}
	if err != nil {
		return errors.Join(err, restore(w))
	}
	if err := commit(ctx, w, version); err != nil {
		return err
	}
	names := make([]string, 0, len(w.Modules))
	for _, m := range w.Modules {
		name := m.Tag(version)
		if _, err := git(ctx, w, "tag", "-a", "-m", m.Path+" "+version, name); err != nil {
			return errors.Join(err, untag(w, names))
		}
		names = append(names, name)
	}
	fmt.Printf("tagged %s\npublish them:\n%s", strings.Join(names, ", "), pushes(names))
	return nil
}

// pushes returns the commands that push the commit and the tags. GitHub starts no workflow if more
// than three tags are pushed at once. The library's tag, which starts the release, comes last.
func pushes(names []string) string {
	var b strings.Builder
	names = slices.SortedStableFunc(slices.Values(names), func(a, b string) int {
		return strings.Count(b, "/") - strings.Count(a, "/")
	})
	for some := range slices.Chunk(names, 3) {
		fmt.Fprintf(&b, "git push --atomic origin HEAD %s\n", strings.Join(some, " "))
	}
	return b.String()
}

// ready returns an error if the tree cannot be tagged.
func ready(ctx context.Context, w *workspace.Workspace, version string) error {
	changed, err := git(ctx, w, "status", "--porcelain")
	if err != nil {
		return err
	}
	if changed != "" {
		first, _, _ := strings.Cut(changed, "\n")
		return fmt.Errorf("the tree has changes (%s): commit them first", strings.TrimSpace(first))
	}
	for _, m := range w.Modules {
		found, err := git(ctx, w, "tag", "--list", m.Tag(version))
		if err != nil {
			return err
		}
		if found != "" {
			return fmt.Errorf("the tag %s exists: choose another version, for a proxy keeps what it has seen", m.Tag(version))
		}
	}
	text, err := os.ReadFile(filepath.Join(w.Root, "CHANGELOG.md"))
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(text)) {
		if words := strings.Fields(line); len(words) > 1 && words[0] == "##" && words[1] == version {
			return nil
		}
	}
	return fmt.Errorf("CHANGELOG.md has no heading \"## %s\": say what is new in it", version)
}

// commit commits the changes of go.mod, go.sum and go.work, if any.
func commit(ctx context.Context, w *workspace.Workspace, version string) error {
	if _, err := git(ctx, w, "add", "--all"); err != nil {
		return err
	}
	if staged, err := git(ctx, w, "diff", "--cached", "--name-only"); err != nil || staged == "" {
		return err
	}
	_, err := git(ctx, w, "commit", "-q", "-m", "all: "+version)
	return err
}

// restore undoes the changes of the files after an error. It works after Ctrl-C, too.
func restore(w *workspace.Workspace) error {
	ctx := context.Background()
	_, err := git(ctx, w, "checkout", "-q", "--", ".")
	_, err2 := git(ctx, w, "clean", "-fq", "--", "*go.sum")
	return errors.Join(err, err2)
}

// untag removes tags after an error.
func untag(w *workspace.Workspace, names []string) error {
	if len(names) == 0 {
		return nil
	}
	_, err := git(context.Background(), w, append([]string{"tag", "-d"}, names...)...)
	return err
}

// git runs git in the tree, and returns its standard output without the last newline.
func git(ctx context.Context, w *workspace.Workspace, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = w.Root
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w: %s", args[0], err, bytes.TrimSpace(stderr.Bytes()))
	}
	return strings.TrimSuffix(string(out), "\n"), nil
}
