package doctor

import (
	"os"
	"strings"
)

// container checks for the traces that container runtimes leave.
func container() Check {
	c := Check{Name: "container", Status: OK}
	if name := containerName(); name != "" {
		c.Found = name
		return c
	}
	c.Found = "no sign of one"
	return c
}

func containerName() string {
	switch {
	case os.Getenv("KUBERNETES_SERVICE_HOST") != "":
		return "Kubernetes"
	case exists("/.dockerenv"):
		return "Docker"
	case exists("/run/.containerenv"):
		return "Podman"
	case os.Getenv("container") != "":
		return os.Getenv("container")
	}
	cgroup := readText("/proc/self/cgroup")
	for _, name := range []string{"kubepods", "docker", "containerd", "libpod", "lxc"} {
		if strings.Contains(cgroup, name) {
			return name
		}
	}
	return ""
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// seccomp is the seccomp mode of this process in /proc/self/status: "0" none, "1"
// strict, "2" a filter, "" unknown.
type seccomp string

func seccompMode() seccomp {
	for line := range strings.Lines(readText("/proc/self/status")) {
		if mode, ok := strings.CutPrefix(line, "Seccomp:"); ok {
			return seccomp(strings.TrimSpace(mode))
		}
	}
	return ""
}

// filtered reports whether a filter may refuse system calls.
func (s seccomp) filtered() bool { return s == "2" }

func (s seccomp) check() Check {
	c := Check{Name: "seccomp", Status: OK}
	switch s {
	case "0":
		c.Found = "no filter"
	case "2":
		c.Found = "a filter is in force; the next lines show what it allows"
	case "":
		c.Found = "unknown"
	default:
		c.Found = "mode " + string(s)
	}
	return c
}
