package doctor

import (
	"os"
	"strings"
)

// container tells whether this process is in one, by the marks that runtimes
// leave.
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

// seccomp is the mode in which this process is filtered, as /proc/self/status
// has it: "0" not at all, "1" strict, "2" by a filter, "" unknown.
type seccomp string

func seccompMode() seccomp {
	for line := range strings.Lines(readText("/proc/self/status")) {
		if mode, ok := strings.CutPrefix(line, "Seccomp:"); ok {
			return seccomp(strings.TrimSpace(mode))
		}
	}
	return ""
}

// filtered reports whether system calls may be refused by a filter.
func (s seccomp) filtered() bool { return s == "2" }

func (s seccomp) check() Check {
	c := Check{Name: "seccomp", Status: OK}
	switch s {
	case "0":
		c.Found = "no filter"
	case "2":
		c.Found = "a filter is in force; below is what it lets through"
	case "":
		c.Found = "cannot be told"
	default:
		c.Found = "mode " + string(s)
	}
	return c
}
