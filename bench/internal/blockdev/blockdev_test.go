package blockdev

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sluiceio/sluice/internal/test/skip"
)

// fakeSystem makes trees like the kernel's, with disks sda (partitions sda1 and sda2) and sdb
// (sdb1), a volume and a loop device. Nothing is in use.
func fakeSystem(t *testing.T) System {
	t.Helper()
	root := t.TempDir()
	if real, err := filepath.EvalSymlinks(root); err == nil {
		root = real
	}
	s := System{Sys: filepath.Join(root, "sys"), Proc: filepath.Join(root, "proc"), Dev: filepath.Join(root, "dev")}
	s.disk(t, "sda", "8:0", "sda1", "sda2")
	s.disk(t, "sdb", "8:16", "sdb1")
	s.disk(t, "dm-0", "252:0")
	s.disk(t, "loop0", "7:0")
	write(t, filepath.Join(s.Proc, "self", "mountinfo"), "22 1 254:1 / / rw,relatime shared:1 - ext4 /dev/root rw\n")
	write(t, filepath.Join(s.Proc, "swaps"), "Filename\tType\tSize\tUsed\tPriority\n")
	return s
}

// disk makes a disk of 1 GiB with partitions. Their numbers follow the disk's.
func (s System) disk(t *testing.T, name, number string, parts ...string) {
	t.Helper()
	dir := filepath.Join(s.Sys, "devices", name)
	device := func(dir, name, number string) {
		write(t, filepath.Join(dir, "dev"), number+"\n")
		write(t, filepath.Join(dir, "size"), "2097152\n")
		write(t, filepath.Join(dir, "ro"), "0\n")
		write(t, filepath.Join(s.Dev, name), "")
		link(t, dir, filepath.Join(s.Sys, "class", "block", name))
	}
	device(dir, name, number)
	write(t, filepath.Join(dir, "queue", "scheduler"), "none [mq-deadline] kyber\n")
	for i, part := range parts {
		device(filepath.Join(dir, part), part, number+string(rune('1'+i)))
		write(t, filepath.Join(dir, part, "partition"), "1\n")
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func link(t *testing.T, to, name string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(to, name); err != nil {
		skip.For(t, skip.Special, err)
	}
}

const size = 4 << 20 // 4 MiB

func TestFind(t *testing.T) {
	s := fakeSystem(t)
	link(t, filepath.Join(s.Dev, "sda"), filepath.Join(s.Dev, "disk", "by-id", "mine"))
	for name, want := range map[string]Device{
		"sda":                      {Name: "sda", Path: filepath.Join(s.Dev, "sda"), Size: 1 << 30, queue: filepath.Join(s.Sys, "devices", "sda", "queue")},
		"sda2":                     {Name: "sda2", Path: filepath.Join(s.Dev, "sda2"), Size: 1 << 30, queue: filepath.Join(s.Sys, "devices", "sda", "queue")},
		s.Dev + "/disk/../sdb":     {Name: "sdb", Path: filepath.Join(s.Dev, "sdb"), Size: 1 << 30, queue: filepath.Join(s.Sys, "devices", "sdb", "queue")},
		s.Dev + "/disk/by-id/mine": {Name: "sda", Path: filepath.Join(s.Dev, "sda"), Size: 1 << 30, queue: filepath.Join(s.Sys, "devices", "sda", "queue")},
		filepath.Join(s.Dev, "..", "dev", "sdb1"): {Name: "sdb1", Path: filepath.Join(s.Dev, "sdb1"), Size: 1 << 30, queue: filepath.Join(s.Sys, "devices", "sdb", "queue")},
	} {
		d, err := s.Find(name, size)
		if err != nil || *d != want {
			t.Errorf("Find(%s) = %+v, %v; want %+v", name, d, err, want)
		}
	}
}

// TestFindRefuses has a device in use in each possible way, and files that are no device.
func TestFindRefuses(t *testing.T) {
	for _, test := range []struct {
		name   string
		device string
		use    func(t *testing.T, s System)
		want   string // part of the error; DEV is the directory of devices
	}{
		{"mounted", "sda", mounts("8:0 / /mnt rw - ext4 DEV/sda rw"), "DEV/sda is mounted on /mnt; nothing is overwritten"},
		{"partition mounted", "sda", mounts("8:02 / /home rw - ext4 DEV/other rw"), "DEV/sda has the partition sda2, which is mounted on /home; nothing is overwritten"},
		{"mounted, named by partition", "sda1", mounts("8:01 / /home rw - ext4 DEV/sda1 rw"), "DEV/sda1 is mounted on /home"},
		{"mounted without its number", "sdb", mounts("0:44 / /data rw - btrfs DEV/sdb1 rw"), "DEV/sdb has the partition sdb1, which is mounted on /data"},
		{"mounted by another name", "sdb", func(t *testing.T, s System) {
			link(t, filepath.Join(s.Dev, "sdb"), filepath.Join(s.Dev, "by-label"))
			mounts("0:44 / /data rw - btrfs DEV/by-label rw")(t, s)
		}, "DEV/sdb is mounted on /data"},
		{"mounted where the name has a blank", "sda", mounts(`8:0 / /my\040data rw - ext4 DEV/sda rw`), "DEV/sda is mounted on /my data; nothing is overwritten"},
		{"mounted by a name with a blank", "sdb", func(t *testing.T, s System) {
			link(t, filepath.Join(s.Dev, "sdb"), filepath.Join(s.Dev, "by label"))
			mounts(`0:44 / /data rw - btrfs DEV/by\040label rw`)(t, s)
		}, "DEV/sdb is mounted on /data"},
		{"swap by a name with a blank", "sdb", func(t *testing.T, s System) {
			link(t, filepath.Join(s.Dev, "sdb"), filepath.Join(s.Dev, "by label"))
			swaps(`DEV/by\040label`)(t, s)
		}, "DEV/sdb is swap"},
		{"swap", "sdb", swaps("DEV/sdb"), "DEV/sdb is swap; nothing is overwritten"},
		{"partition is swap", "sdb", swaps("DEV/sdb1"), "DEV/sdb has the partition sdb1, which is swap"},
		{"held", "sda", held("sda/holders/md0"), "DEV/sda is held by md0; nothing is overwritten"},
		{"partition held", "sda", held("sda/sda2/holders/dm-0"), "DEV/sda has the partition sda2, which is held by dm-0"},
		{"under a loop device", "sda", func(t *testing.T, s System) {
			write(t, filepath.Join(s.Sys, "devices", "loop0", "loop", "backing_file"), s.Dev+"/sda\n")
		}, "DEV/sda is held by loop0"},
		{"read-only", "sda", attribute("sda/ro", "1\n"), "DEV/sda cannot be written: it is read-only"},
		{"too small", "sda", attribute("sda/size", "8191\n"), "DEV/sda has 4193792 bytes; want at least 4194304"},
		{"not there", "sdc", nothing, "there is no device DEV/sdc"},
		{"a file", "file", func(t *testing.T, s System) { write(t, filepath.Join(s.Dev, "file"), "") }, "DEV/file is no block device"},
		{"a node elsewhere", "DEV/deep/sda", func(t *testing.T, s System) { write(t, filepath.Join(s.Dev, "deep", "sda"), "") }, "DEV/deep/sda is no block device in DEV"},
		{"no mountinfo", "sda", func(t *testing.T, s System) {
			if err := os.Remove(filepath.Join(s.Proc, "self", "mountinfo")); err != nil {
				t.Fatal(err)
			}
		}, "cannot tell whether sda is mounted"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := fakeSystem(t)
			test.use(t, s)
			want := strings.ReplaceAll(test.want, "DEV", s.Dev)
			d, err := s.Find(strings.ReplaceAll(test.device, "DEV", s.Dev), size)
			if err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("Find = %+v, %v; want %s", d, err, want)
			}
		})
	}
}

func nothing(*testing.T, System) {}

// mounts adds a line of mountinfo. Its first two numbers do not matter.
func mounts(line string) func(t *testing.T, s System) {
	return func(t *testing.T, s System) {
		name := filepath.Join(s.Proc, "self", "mountinfo")
		text, _ := os.ReadFile(name)
		write(t, name, string(text)+"30 22 "+strings.ReplaceAll(line, "DEV", s.Dev)+"\n")
	}
}

func swaps(device string) func(t *testing.T, s System) {
	return func(t *testing.T, s System) {
		line := strings.ReplaceAll(device, "DEV", s.Dev) + " partition 8388604 0 -2\n"
		write(t, filepath.Join(s.Proc, "swaps"), "Filename\tType\tSize\tUsed\tPriority\n"+line)
	}
}

func held(name string) func(t *testing.T, s System) {
	return func(t *testing.T, s System) { write(t, filepath.Join(s.Sys, "devices", name), "") }
}

func attribute(name, text string) func(t *testing.T, s System) {
	return func(t *testing.T, s System) { write(t, filepath.Join(s.Sys, "devices", name), text) }
}

// scheduled returns a disk on sda, and a function that returns the content of its scheduler's file.
func scheduled(t *testing.T) (d *Disk, now func() string) {
	t.Helper()
	s := fakeSystem(t)
	device, err := s.Find("sda", size)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(device.Path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	d = &Disk{file: f, device: device, about: About{Name: "sda"}}
	d.about.Schedulers, d.about.Scheduler = device.schedulers()
	return d, func() string {
		text, err := os.ReadFile(filepath.Join(device.queue, "scheduler"))
		if err != nil {
			t.Error(err)
		}
		return string(text)
	}
}

func TestCloseRestoresTheScheduler(t *testing.T) {
	d, now := scheduled(t)
	if got := strings.Join(d.about.Schedulers, " "); got != "none mq-deadline kyber" || d.about.Scheduler != "mq-deadline" {
		t.Fatalf("schedulers are %s, now %s", got, d.about.Scheduler)
	}
	for _, name := range []string{"none", "kyber"} {
		if err := d.SetScheduler(name); err != nil || now() != name {
			t.Errorf("SetScheduler(%s) = %v, it is %s", name, err, now())
		}
	}
	if err := d.SetScheduler("bfq"); err == nil || err.Error() != "sda has no I/O scheduler bfq" || now() != "kyber" {
		t.Errorf("SetScheduler(bfq) = %v, it is %s", err, now())
	}
	if err := d.Close(); err != nil || now() != "mq-deadline" {
		t.Errorf("Close = %v, the scheduler is %s; want that which there was", err, now())
	}
}

// TestCloseLeavesTheScheduler checks a Close without a SetScheduler before it.
func TestCloseLeavesTheScheduler(t *testing.T) {
	d, now := scheduled(t)
	if err := d.Close(); err != nil || now() != "none [mq-deadline] kyber\n" {
		t.Errorf("Close = %v, the scheduler's file has %q", err, now())
	}
}

// TestSchedulerThatCannotBeRestored has a kernel that does not say which scheduler is set.
func TestSchedulerThatCannotBeRestored(t *testing.T) {
	d, now := scheduled(t)
	defer d.Close()
	d.about.Scheduler = ""
	if err := d.SetScheduler("kyber"); err == nil || now() != "none [mq-deadline] kyber\n" {
		t.Errorf("SetScheduler = %v, the scheduler's file has %q; want an error and no change", err, now())
	}
	d.device = nil
	if err := d.SetScheduler("kyber"); err == nil {
		t.Error("SetScheduler of a file = nil")
	}
}
