// Command init is the first process of the virtual machine of the command kernels. Its initramfs
// has only this program and the kernel's modules. It loads the modules, mounts the disks, runs the
// programs of its plan one after the other, and powers off.
//
// Its own messages and the kernel's go to the first serial port, the programs' output to the
// second.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/dev/kernels/guest"
)

func main() {
	if os.Getpid() != 1 {
		fmt.Fprintln(os.Stderr, "init is only for the virtual machines of the command kernels")
		os.Exit(2)
	}
	if err := run(); err != nil {
		fmt.Println("init:", err)
	}
	unix.Sync()
	if err := unix.Reboot(unix.LINUX_REBOOT_CMD_POWER_OFF); err != nil {
		fmt.Println("init: reboot:", err)
	}
	select {} // a kernel panics if its first process ends
}

func run() error {
	if err := mountAll(system); err != nil {
		return err
	}
	text, err := os.ReadFile(guest.PlanFile)
	if err != nil {
		return err
	}
	var plan guest.Plan
	if err := json.Unmarshal(text, &plan); err != nil {
		return err
	}
	for _, name := range plan.Modules {
		if err := load(name); err != nil {
			return err
		}
	}
	if err := mountAll(disks); err != nil {
		return err
	}
	if err := loopback(); err != nil {
		return err
	}
	out, err := openPort(plan.Port)
	if err != nil {
		return err
	}
	for _, job := range plan.Jobs {
		fmt.Println("init:", job.Name)
		if err := perform(job, out); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintln(out, guest.Ready)
	return err
}

type mount struct{ source, dir, kind string }

var (
	system = []mount{
		{"proc", "/proc", "proc"},
		{"sysfs", "/sys", "sysfs"},
		{"devtmpfs", "/dev", "devtmpfs"},
		{"shm", "/dev/shm", "tmpfs"},
	}
	disks = []mount{
		{"/dev/vda", guest.Disk, "ext4"},
		{"/dev/vdb", guest.Second, "xfs"},
	}
)

func mountAll(all []mount) error {
	for _, m := range all {
		if err := os.MkdirAll(m.dir, 0o755); err != nil {
			return err
		}
		err := unix.Mount(m.source, m.dir, m.kind, 0, "")
		// A disk appears some time after its driver was loaded.
		for end := time.Now().Add(time.Minute); errors.Is(err, unix.ENOENT) && time.Now().Before(end); {
			time.Sleep(10 * time.Millisecond)
			err = unix.Mount(m.source, m.dir, m.kind, 0, "")
		}
		if err != nil {
			return fmt.Errorf("mount %s: %w", m.dir, err)
		}
	}
	return nil
}

// load loads a module of the kernel.
func load(name string) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	if err := unix.InitModule(text, ""); err != nil && err != unix.EEXIST {
		return fmt.Errorf("init_module %s: %w", name, err)
	}
	return nil
}

// loopback starts the network device of 127.0.0.1.
func loopback() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	r, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	r.SetUint16(unix.IFF_UP)
	return unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, r)
}

// openPort opens a serial port in raw mode: the kernel passes bytes on unchanged.
func openPort(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_WRONLY|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, err
	}
	state, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
	if err == nil {
		state.Oflag &^= unix.OPOST
		err = unix.IoctlSetTermios(int(f.Fd()), unix.TCSETS, state)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, errors.Join(err, f.Close()))
	}
	return f, nil
}

// perform runs a program. It only returns errors of the serial port.
func perform(job guest.Job, out *os.File) error {
	if _, err := fmt.Fprintf(out, "\n%s%s\n", guest.Begin, job.Name); err != nil {
		return err
	}
	r := guest.Result{Name: job.Name}
	start := time.Now()
	cmd := exec.Command(job.Args[0], job.Args[1:]...)
	cmd.Dir = job.Dir
	cmd.Env = append(os.Environ(), append(job.Env, "TMPDIR="+job.Temp, "HOME="+job.Temp, "PATH="+filepath.Join(guest.Disk, "bin"))...)
	cmd.Stdout, cmd.Stderr = out, out
	err := os.MkdirAll(job.Temp, 0o777)
	if err == nil {
		err = cmd.Run()
	}
	r.Seconds = time.Since(start).Seconds()
	if err != nil {
		r.Status, r.Error = cmd.ProcessState.ExitCode(), err.Error()
	}
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "\n%s%s\n", guest.End, text)
	return err
}
