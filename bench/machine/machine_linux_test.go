package machine

import "testing"

func TestDescribe(t *testing.T) {
	info := Describe(t.TempDir())
	if info.Kernel == "" || info.Cores < 1 || info.Memory <= 0 || info.FileSystem == "" {
		t.Errorf("Describe = %+v; want kernel, cores, memory and file system", info)
	}
}

func TestParseMount(t *testing.T) {
	const line = "36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue\n" // proc_pid_mountinfo(5)
	dev, m, ok := parseMount(line)
	if want := (mount{"/mnt2", "ext3", "/dev/root", "rw,noatime,rw,errors=continue"}); !ok || dev != "98:0" || m != want {
		t.Errorf("parseMount = %q, %+v, %v; want 98:0, %+v", dev, m, ok, want)
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
