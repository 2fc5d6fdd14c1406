package machine

import "testing"

func TestDescribe(t *testing.T) {
	info := Describe(t.TempDir())
	if info.Kernel == "" || info.Cores < 1 || info.Memory <= 0 || info.FileSystem == "" {
		t.Errorf("Describe = %+v; want kernel, cores, memory and file system", info)
	}
}

func TestParseMount(t *testing.T) {
	// From proc_pid_mountinfo(5).
	const line = "36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue\n"
	dev, m, ok := parseMount(line)
	if want := (mount{"/mnt2", "ext3", "/dev/root", "rw,noatime,rw,errors=continue"}); !ok || dev != "98:0" || m != want {
		t.Errorf("parseMount = %q, %+v, %v; want 98:0, %+v", dev, m, ok, want)
	}
	const blank = `36 35 98:0 / /mnt/a\040b\011c\012d\134e rw - ext3 /dev/my\040disk rw`
	if _, m, ok := parseMount(blank); !ok || m.point != "/mnt/a b\tc\nd\\e" || m.source != "/dev/my disk" {
		t.Errorf("parseMount of names with blanks = %+v, %v; want them without escapes", m, ok)
	}
	if _, _, ok := parseMount("nonsense"); ok {
		t.Error("parseMount takes nonsense")
	}
}

func TestWithin(t *testing.T) {
	for _, test := range []struct {
		path, dir string
		want      bool
	}{
		{"/a/b", "/a", true}, {"/a", "/a", true}, {"/a", "/", true}, {"/ab", "/a", false},
	} {
		if got := within(test.path, test.dir); got != test.want {
			t.Errorf("within(%q, %q) = %v; want %v", test.path, test.dir, got, test.want)
		}
	}
}

// TestVirtual checks that a disk behind virtio or Xen is not called rotating, although its queue
// says so.
func TestVirtual(t *testing.T) {
	for sys, want := range map[string]bool{
		"/sys/devices/pci0000:00/0000:00:04.0/virtio1/block/vda": true,
		// virtio-scsi
		"/sys/devices/pci0000:00/0000:00:05.0/virtio2/host2/target2:0:0/2:0:0:0/block/sda": true,
		"/sys/devices/vbd-768/block/xvda":                                                  true,
		"/sys/devices/pci0000:00/0000:00:1f.2/ata1/host0/target0:0:0/0:0:0:0/block/sda":    false,
		"/sys/devices/pci0000:00/0000:00:1d.0/0000:3d:00.0/nvme/nvme0/nvme0n1":             false,
		"/sys/devices/virtual/block/loop0":                                                 false,
	} {
		if got := virtual(sys); got != want {
			t.Errorf("virtual(%q) = %v; want %v", sys, got, want)
		}
	}
	old := Device{Name: "vda", Rotational: true} // from a file without the field Virtual
	if !old.IsVirtual() {
		t.Error("vda is no virtual disk")
	}
}
