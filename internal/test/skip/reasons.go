package skip

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// Reason is one of the variables of this file.
type Reason struct {
	name  string
	means string // the missing thing
	// machine says that the test would run on another machine, or with another setting of this one.
	// Only then can the Reason be required.
	machine bool
}

// String returns the Reason's name, as in SLUICE_REQUIRE.
func (r Reason) String() string { return r.name }

var reasons []Reason

func machine(name, means string) Reason {
	reasons = append(reasons, Reason{name, means, true})
	return reasons[len(reasons)-1]
}

func other(name, means string) Reason {
	reasons = append(reasons, Reason{name, means, false})
	return reasons[len(reasons)-1]
}

// Features that a machine may lack. SLUICE_REQUIRE may name them.
var (
	Uring   = machine("uring", "io_uring")
	AIO     = machine("aio", "Linux AIO")
	Kernel  = machine("kernel", "what a newer kernel has (6.7 has all)")
	Config  = machine("config", "what a kernel may be built without, or has switched off")
	Seccomp = machine("seccomp", "seccomp filters, and their notifications")

	Root   = machine("root", "user 0")
	Mount  = machine("mount", "the right to mount and unshare")
	Limits = machine("limits", "limits, capabilities and users of processes that the tests may change")
	Cgroup = machine("cgroup", "control groups with limits of memory, and of I/O on loop devices")
	KMsg   = machine("kmsg", "the kernel's log, to read and to write")
	Loop   = machine("loop", "loop devices")

	Ext4    = machine("ext4", "ext4, and mkfs.ext4")
	XFS     = machine("xfs", "xfs, mkfs.xfs and xfs_io")
	Btrfs   = machine("btrfs", "btrfs, mkfs.btrfs and btrfs")
	VFAT    = machine("vfat", "vfat, and mkfs.vfat")
	Overlay = machine("overlay", "overlay file systems")
	Tmpfs   = machine("tmpfs", "tmpfs, and one at /dev/shm")
	FUSE    = machine("fuse", "/dev/fuse")

	Disk    = machine("disk", "a directory for temporary files that is not in memory")
	Device  = machine("device", "a block device below temporary files that /sys knows")
	Direct  = machine("direct", "O_DIRECT where temporary files are")
	NoWait  = machine("nowait", "reads from the page cache alone, where temporary files are (RWF_NOWAIT)")
	Xattr   = machine("xattr", "extended attributes where temporary files are")
	ACL     = machine("acl", "ACLs where temporary files are")
	Special = machine("special", "links, FIFOs and holes where temporary files are")

	Proc   = machine("proc", "/proc")
	Dev    = machine("dev", "/dev/full, /dev/ptmx")
	Socket = machine("socket", "sockets on the loopback interface")

	Go       = machine("go", "the go command")
	GCC      = machine("gcc", "a C compiler for cgo")
	Git      = machine("git", "git")
	Shell    = machine("shell", "sh, cat, true and mkfifo")
	GNU      = machine("gnu", "GNU cp and ls of coreutils 9.1 or later")
	NewGNU   = machine("newgnu", "GNU cp and ls of coreutils 9.5 or later")
	Setfattr = machine("setfattr", "setfattr")
	Bash     = machine("bash", "bash, and its package bash-completion")
	Zsh      = machine("zsh", "zsh")
	Fish     = machine("fish", "fish")
	Man      = machine("man", "man")
	Chromium = machine("chromium", "Chromium")
	Proxy    = machine("proxy", "a module proxy, or what it would be asked for")
	QEMU     = machine("qemu", "qemu, and packages of kernels")
)

// Reasons that exist on every machine. SLUICE_REQUIRE may not name them.
var (
	Platform = other("platform", "another operating system, architecture or version of Go")
	Build    = other("build", "other build tags, with or without the race detector")
	Short    = other("short", "not with -short")
	Flag     = other("flag", "only with a flag of the test, as it takes long")
	Driver   = other("driver", "the driver lacks what is tested")
	Case     = other("case", "a combination that is not tested, or a part of another test")
	// Chance is a state that the test tries to reach and cannot force, for instance of the page
	// cache.
	Chance = other("chance", "the state that is tested has not come about")
)

// Check returns an error if SLUICE_REQUIRE names something that it may not. Without Check only a
// skipped test would report it.
func Check() error {
	_, err := parse(os.Getenv(RequireEnv))
	return err
}

// parse returns the Reasons in a list like SLUICE_REQUIRE.
func parse(list string) (required []Reason, err error) {
	for name := range strings.SplitSeq(list, ",") {
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		i := slices.IndexFunc(reasons, func(r Reason) bool { return r.name == name && r.machine })
		if i < 0 {
			return nil, fmt.Errorf("%s names %q; what it may name: %s", RequireEnv, name, names(Reason.isMachine))
		}
		required = append(required, reasons[i])
	}
	return required, nil
}

func (r Reason) isMachine() bool { return r.machine }

func names(of func(Reason) bool) string {
	var all []string
	for _, r := range reasons {
		if of(r) {
			all = append(all, r.name)
		}
	}
	return strings.Join(all, ", ")
}

// Machine returns all Reasons that can be required.
func Machine() []Reason {
	return slices.DeleteFunc(slices.Clone(reasons), func(r Reason) bool { return !r.machine })
}
