package main

import (
	"bytes"
	"context"
	"debug/elf"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// missing is an error that names a missing requirement, and how to get it.
type missing string

func (m missing) Error() string { return string(m) }

// kernel is a package of Debian with a kernel, unpacked.
type kernel struct {
	release string            // as printed by uname -r
	image   string            // the file to boot
	modules map[string]string // files, by name with _ in place of -
	builtin map[string]bool
}

// unpack unpacks the newest package of a version (5.10) in debs into dir.
func unpack(ctx context.Context, debs, version, arch, dir string) (*kernel, error) {
	var found []string
	for _, pattern := range []string{version + ".*", version + "-*"} {
		names, err := filepath.Glob(filepath.Join(debs, "linux-image-"+pattern+"_"+arch+".deb"))
		if err != nil {
			return nil, err
		}
		found = append(found, names...)
	}
	if len(found) == 0 {
		return nil, missing(fmt.Sprintf("no package linux-image-%[1]s*_%[2]s.deb in %[3]s: there, run apt-get download with a name that "+
			"apt-cache search '^linux-image-%[1]s.*-cloud-%[2]s' prints (Debian 11 has 5.10, Debian 12 has 6.1 and 6.12)", version, arch, debs))
	}
	slices.Sort(found)
	if err := command(ctx, "", "dpkg", "dpkg-deb", "-x", found[len(found)-1], dir); err != nil {
		return nil, err
	}
	images, err := filepath.Glob(filepath.Join(dir, "boot", "vmlinuz-*"))
	if err != nil || len(images) != 1 {
		return nil, fmt.Errorf("%s has %d kernels; want 1, %w", found[len(found)-1], len(images), err)
	}
	k := &kernel{release: strings.TrimPrefix(filepath.Base(images[0]), "vmlinuz-"), image: images[0]}
	return k, k.index(dir)
}

// index lists the modules.
func (k *kernel) index(dir string) error {
	k.modules, k.builtin = make(map[string]string), make(map[string]bool)
	// Newer packages have them below usr.
	for _, at := range []string{"lib/modules", "usr/lib/modules"} {
		root := filepath.Join(dir, at, k.release)
		err := filepath.WalkDir(root, func(name string, _ fs.DirEntry, err error) error {
			if module, ok := moduleName(name); ok {
				k.modules[module] = name
			}
			return err
		})
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		text, err := os.ReadFile(filepath.Join(root, "modules.builtin"))
		if err != nil {
			return err
		}
		for _, line := range strings.Fields(string(text)) {
			if module, ok := moduleName(line); ok {
				k.builtin[module] = true
			}
		}
		return nil
	}
	return fmt.Errorf("the package of %s has no modules", k.release)
}

func moduleName(file string) (string, bool) {
	name, rest, ok := strings.Cut(filepath.Base(file), ".ko")
	return strings.ReplaceAll(name, "-", "_"), ok && (rest == "" || rest == ".xz")
}

// module is a module's contents.
type module struct {
	name string
	text []byte
}

// load returns modules, each after the modules that it needs, without those that are built into the
// kernel.
func (k *kernel) load(ctx context.Context, names ...string) (all []module, err error) {
	done := make(map[string]bool)
	var need func(name string) error
	need = func(name string) error {
		name = strings.ReplaceAll(name, "-", "_")
		if done[name] || k.builtin[name] {
			return nil
		}
		done[name] = true
		file, ok := k.modules[name]
		if !ok {
			return fmt.Errorf("the package of %s has no module %s", k.release, name)
		}
		text, err := k.read(ctx, file)
		if err != nil {
			return err
		}
		deps, err := dependencies(text)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		for _, d := range deps {
			if err := need(d); err != nil {
				return err
			}
		}
		all = append(all, module{name, text})
		return nil
	}
	for _, name := range names {
		if err := need(name); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func (k *kernel) read(ctx context.Context, file string) ([]byte, error) {
	if !strings.HasSuffix(file, ".xz") {
		return os.ReadFile(file)
	}
	out, err := exec.CommandContext(ctx, "xz", "-dc", file).Output()
	if errors.Is(err, exec.ErrNotFound) {
		return nil, missing("no xz: apt-get install xz-utils")
	}
	return out, err
}

// dependencies returns the modules that a module needs. The package has no modules.dep: depmod(8)
// makes it when the package is installed.
func dependencies(text []byte) ([]string, error) {
	f, err := elf.NewFile(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	s := f.Section(".modinfo")
	if s == nil {
		return nil, errors.New("no section .modinfo")
	}
	info, err := s.Data()
	if err != nil {
		return nil, err
	}
	for field := range strings.SplitSeq(string(info), "\x00") {
		if deps, ok := strings.CutPrefix(field, "depends="); ok && deps != "" {
			return strings.Split(deps, ","), nil
		}
	}
	return nil, nil
}

// command runs a program of a package of Debian in dir.
func command(ctx context.Context, dir, pkg, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if errors.Is(err, exec.ErrNotFound) {
		return missing(fmt.Sprintf("no %s: apt-get install %s", name, pkg))
	}
	if err != nil {
		return fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, bytes.TrimSpace(out))
	}
	return nil
}
