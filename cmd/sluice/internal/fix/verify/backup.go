package verify

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// backup is the old files of a tree, in a directory outside of it.
type backup struct {
	dir  string
	plan plan
}

// plan says which file of the directory belongs where.
type plan struct {
	Root  string // the directory of go.work or go.mod
	Files []kept
}

// kept is a file. Its old text is in the file of its number.
type kept struct {
	Name    string
	Mode    fs.FileMode
	Missing bool   `json:",omitempty"` // there was no such file
	New     string `json:",omitempty"` // SHA-256 of the new text; "" for the go command's own files
}

// planName is the name of the plan in the directory. It is written last: without it nothing of
// the tree has changed.
const planName = "plan.json"

// place returns the directory for the backup of the tree that dir is in.
func place(ctx context.Context, dir string, env []string) (root, name string, err error) {
	root, err = rootOf(ctx, dir, env)
	if err != nil {
		return "", "", err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", "", fmt.Errorf("no directory for backups: %w", err)
	}
	sum := sha256.Sum256([]byte(root))
	return root, filepath.Join(cache, "sluice", "fix", filepath.Base(root)+"-"+hex.EncodeToString(sum[:6])), nil
}

// rootOf returns the directory of the go.work or go.mod that the go command uses in dir.
func rootOf(ctx context.Context, dir string, env []string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", "env", "GOWORK", "GOMOD")
	cmd.Dir, cmd.Env = dir, env
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go env: %w", err)
	}
	work, mod, _ := strings.Cut(strings.TrimRight(string(out), "\r\n"), "\n")
	name := strings.TrimSpace(work)
	if name == "" || name == "off" {
		name = strings.TrimSpace(mod)
	}
	if name == "" || name == os.DevNull {
		return "", errors.New("there is no go.mod here: -verify and -undo need a module")
	}
	return filepath.EvalSymlinks(filepath.Dir(name))
}

// Unfinished returns an error if changes of an earlier Run in the tree of dir were neither found
// good nor taken back.
func Unfinished(ctx context.Context, dir string, env []string) error {
	_, name, err := place(ctx, dir, env)
	if err != nil {
		return nil // what needs the directory reports it
	}
	if _, err := os.Lstat(name); err == nil {
		return unfinished(name)
	}
	return nil
}

func unfinished(name string) error {
	return fmt.Errorf("another sluice fix -verify works on this tree, or was killed; then sluice fix -undo takes its changes back from %s", name)
}

// keep copies the files into the directory name, which must not exist. news are the hashes of
// the texts that they will have, by name.
func keep(root, name string, files []string, news map[string]string) (*backup, error) {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return nil, fmt.Errorf("no directory for backups: %w", err)
	}
	if err := os.Mkdir(name, 0o700); errors.Is(err, fs.ErrExist) {
		return nil, unfinished(name)
	} else if err != nil {
		return nil, fmt.Errorf("no directory for backups: %w", err)
	}
	b := &backup{dir: name, plan: plan{Root: root}}
	for _, file := range files {
		if err := b.add(file, news[file]); err != nil {
			return nil, errors.Join(fmt.Errorf("cannot back up %s: %w", file, err), os.RemoveAll(name))
		}
	}
	text, err := json.MarshalIndent(b.plan, "", "\t")
	if err == nil {
		err = writeSynced(filepath.Join(name, planName), text, 0o600)
	}
	if err == nil {
		err = syncDir(name)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("cannot write the backup: %w", err), os.RemoveAll(name))
	}
	return b, nil
}

// add copies a file.
func (b *backup) add(file, news string) error {
	k := kept{Name: file, New: news}
	info, err := os.Stat(file)
	if errors.Is(err, fs.ErrNotExist) {
		k.Missing = true
		b.plan.Files = append(b.plan.Files, k)
		return nil
	}
	if err != nil {
		return err
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	k.Mode = info.Mode().Perm()
	if err := writeSynced(b.copyOf(len(b.plan.Files)), text, 0o600); err != nil {
		return err
	}
	b.plan.Files = append(b.plan.Files, k)
	return nil
}

// copyOf returns the name of the copy of file i of the plan.
func (b *backup) copyOf(i int) string { return filepath.Join(b.dir, strconv.Itoa(i)) }

// restore puts all files back, and removes the backup. A file that somebody else has changed
// meanwhile stays as it is, and so does the backup.
func (b *backup) restore() error {
	var errs []error
	for i, k := range b.plan.Files {
		if err := b.restoreFile(i, k); err != nil {
			errs = append(errs, err)
		}
	}
	if len(errs) > 0 {
		return errors.Join(append(errs, fmt.Errorf("the old files are in %s, and their names in %s there", b.dir, planName))...)
	}
	return b.remove()
}

func (b *backup) restoreFile(i int, k kept) error {
	now, err := os.ReadFile(k.Name)
	gone := errors.Is(err, fs.ErrNotExist)
	if err != nil && !gone {
		return err
	}
	if k.Missing {
		if gone {
			return nil
		}
		return os.Remove(k.Name)
	}
	old, err := os.ReadFile(b.copyOf(i))
	if err != nil {
		return err
	}
	switch {
	case !gone && bytes.Equal(now, old):
		return nil
	case k.New != "" && !gone && hash(now) != k.New:
		return fmt.Errorf("%s has changed since sluice fix wrote it, and was left as it is; its old text is %s", k.Name, b.copyOf(i))
	}
	return replace(k.Name, old, k.Mode)
}

// remove removes the backup: the plan first, so that a half-removed one is not used.
func (b *backup) remove() error {
	if err := os.Remove(filepath.Join(b.dir, planName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.RemoveAll(b.dir)
}

// Undo takes back what a Run in the tree of dir has changed that did not end. It returns how many
// files it has looked after.
func Undo(ctx context.Context, dir string, env []string) (files int, err error) {
	_, name, err := place(ctx, dir, env)
	if err != nil {
		return 0, err
	}
	text, err := os.ReadFile(filepath.Join(name, planName))
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Lstat(name); err != nil {
			return 0, errors.New("there is nothing to undo: no sluice fix -verify of this tree was killed")
		}
		return 0, os.RemoveAll(name) // it was killed before it changed anything
	}
	if err != nil {
		return 0, err
	}
	b := &backup{dir: name}
	if err := json.Unmarshal(text, &b.plan); err != nil {
		return 0, fmt.Errorf("the backup's plan %s: %w", filepath.Join(name, planName), err)
	}
	return len(b.plan.Files), b.restore()
}

// replace replaces a file at once: another program sees the old text or the new one.
func replace(name string, text []byte, mode fs.FileMode) error {
	if real, err := filepath.EvalSymlinks(name); err == nil {
		name = real
	}
	temp, err := os.CreateTemp(filepath.Dir(name), ".sluice-fix-*")
	if err != nil {
		return err
	}
	_, err = temp.Write(text)
	if err1 := temp.Chmod(mode); err == nil {
		err = err1
	}
	if err1 := temp.Sync(); err == nil {
		err = err1
	}
	if err1 := temp.Close(); err == nil {
		err = err1
	}
	if err == nil {
		err = os.Rename(temp.Name(), name)
	}
	if err != nil {
		return errors.Join(err, os.Remove(temp.Name()))
	}
	return nil
}

// writeSynced writes a new file, and waits until it is on the disk.
func writeSynced(name string, text []byte, mode fs.FileMode) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err1 := f.Sync(); err == nil {
		err = err1
	}
	if err1 := f.Close(); err == nil {
		err = err1
	}
	return err
}

func hash(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
