package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/sluiceio/sluice/dev/kernels/guest"
)

// modules are the virtual machine's modules beyond the kernel: for its disks, xfs, and the tests.
var modules = []string{"virtio_pci", "virtio_blk", "xfs", "fuse", "loop"}

// The sizes of the disks, whose files are sparse.
const (
	firstDisk  = 3 << 30 // 3 GiB
	secondDisk = 2 << 30 // 2 GiB
)

// machine is a virtual machine: an initramfs with the program init, and two disks.
type machine struct {
	platform
	kernel *kernel
	dir    string // its files
}

// platform is a processor that QEMU emulates.
type platform struct {
	pkg, program string   // the package is Debian's
	args         []string // the machine, with serial ports for the files "console" and "results"
	console      string   // the kernel's name of the first port
	port         string   // the kernel's name of the second port
}

var platforms = map[string]platform{
	"amd64": {
		pkg: "qemu-system-x86", program: "qemu-system-x86_64", console: "ttyS0", port: "/dev/ttyS1",
		args: []string{"-cpu", "max,la57=off", "-serial", "file:console", "-serial", "file:results"},
	},
	"arm64": {
		pkg: "qemu-system-arm", program: "qemu-system-aarch64", console: "ttyAMA0", port: "/dev/ttyS0",
		args: []string{
			"-machine", "virt", "-cpu", "cortex-a72", "-serial", "file:console",
			"-chardev", "file,id=results,path=results", "-device", "pci-serial,chardev=results",
		},
	},
}

// build makes the files of the machine. tree has the contents of the first disk.
func (m *machine) build(ctx context.Context, init, tree string, jobs []guest.Job) error {
	loaded, err := m.kernel.load(ctx, modules...)
	if err != nil {
		return err
	}
	program, err := os.ReadFile(init)
	if err != nil {
		return err
	}
	f, err := os.Create(m.file("initramfs"))
	if err != nil {
		return err
	}
	defer f.Close()
	plan := guest.Plan{Port: m.port, Jobs: jobs}
	a := newArchive(f)
	a.add("/init", 0o755, program)
	for _, one := range loaded {
		name := "/modules/" + one.name + ".ko"
		a.add(name, 0o644, one.text)
		plan.Modules = append(plan.Modules, name)
	}
	text, err := json.Marshal(plan)
	if err != nil {
		return err
	}
	a.add(guest.PlanFile, 0o644, text)
	if err := errors.Join(a.close(), f.Close()); err != nil {
		return err
	}
	return errors.Join(
		m.disk(ctx, "first", firstDisk, "e2fsprogs", "mkfs.ext4", "-q", "-F", "-d", tree),
		m.disk(ctx, "second", secondDisk, "xfsprogs", "mkfs.xfs", "-q", "-f"),
	)
}

func (m *machine) file(name string) string { return filepath.Join(m.dir, name) }

// disk makes the file of a disk, with a file system.
func (m *machine) disk(ctx context.Context, name string, size int64, pkg, mkfs string, args ...string) error {
	if err := errors.Join(os.WriteFile(m.file(name), nil, 0o600), os.Truncate(m.file(name), size)); err != nil {
		return err
	}
	return command(ctx, "", pkg, mkfs, append(args, m.file(name))...)
}

// run runs the machine until it powers off. The programs' output is in the file "results", and the
// kernel's messages are in the file "console".
func (m *machine) run(ctx context.Context) error {
	args := append([]string{
		"-accel", "tcg,thread=multi", "-smp", "2", "-m", "3072", "-nic", "none", "-display", "none", "-no-reboot",
		"-kernel", m.kernel.image, "-initrd", "initramfs", "-append", "console=" + m.console + " panic=-1 mitigations=off",
	}, m.args...)
	for _, disk := range []string{"first", "second"} {
		args = append(args, "-drive", "if=virtio,format=raw,cache=unsafe,file="+disk)
	}
	err := command(ctx, m.dir, m.pkg, m.program, args...)
	if ctx.Err() != nil {
		return fmt.Errorf("the virtual machine was ended: %w", context.Cause(ctx))
	}
	return err
}
