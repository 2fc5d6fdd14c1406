// Package machine describes the measured machine.
package machine

import (
	"fmt"
	"runtime"
	"strings"
)

// Info describes a machine, and the file system of a directory on it. An unknown field is empty.
type Info struct {
	OS         string `json:"os"`
	Arch       string `json:"arch"`
	Kernel     string `json:"kernel,omitempty"`
	CPU        string `json:"cpu,omitempty"`
	Cores      int    `json:"cores"` // the number that this process may use
	GoMaxProcs int    `json:"gomaxprocs"`
	Memory     int64  `json:"memory,omitempty"` // bytes
	FileSystem string `json:"file_system,omitempty"`
	Mount      string `json:"mount,omitempty"` // options
	Device     Device `json:"device"`
	Go         string `json:"go"`
}

// Device is the block device below the file system.
type Device struct {
	Name      string `json:"name,omitempty"` // as in /sys/block
	Model     string `json:"model,omitempty"`
	Scheduler string `json:"scheduler,omitempty"`
	// Rotational is false for a virtual disk: the host's disk is unknown.
	Rotational bool `json:"rotational,omitempty"`
	Virtual    bool `json:"virtual,omitempty"` // of a hypervisor: virtio, Xen
}

// IsVirtual reports whether the device is a disk of a hypervisor. In files without the field
// Virtual, such a disk may be Rotational, so the device's name decides.
func (d Device) IsVirtual() bool {
	return d.Virtual || strings.HasPrefix(d.Name, "vd") || strings.HasPrefix(d.Name, "xvd")
}

// Describe describes this machine and the file system of dir.
func Describe(dir string) Info {
	info := Info{
		OS:         runtime.GOOS,
		Arch:       runtime.GOARCH,
		Cores:      runtime.NumCPU(),
		GoMaxProcs: runtime.GOMAXPROCS(0),
		Go:         runtime.Version(),
	}
	describe(&info, dir)
	return info
}

// InMemory reports whether the file system keeps its files in memory, without a disk.
func (i Info) InMemory() bool { return i.FileSystem == "tmpfs" || i.FileSystem == "ramfs" }

// String returns the facts that matter most for I/O, in one line.
func (i Info) String() string {
	parts := []string{strings.TrimSpace(i.OS + "/" + i.Arch + " " + i.Kernel)}
	if i.CPU != "" {
		parts = append(parts, fmt.Sprintf("%d x %s", i.Cores, i.CPU))
	}
	if i.Memory > 0 {
		parts = append(parts, fmt.Sprintf("%.0f GiB", float64(i.Memory)/(1<<30)))
	}
	if i.FileSystem != "" {
		parts = append(parts, i.Disk())
	}
	return strings.Join(append(parts, i.Go), "; ")
}

// Disk returns the file system, its device and the device's I/O scheduler.
func (i Info) Disk() string {
	text := i.FileSystem
	switch {
	case text == "":
		return "unknown"
	case i.Device.Name == "":
		return text + ", no block device of its own"
	}
	text += " on " + i.Device.Name
	if i.Device.Model != "" {
		text += " (" + i.Device.Model + ")"
	}
	if i.Device.Scheduler != "" {
		text += ", I/O scheduler " + i.Device.Scheduler
	}
	return text
}
