// Command machine prints the reasons of package skip for which no test needs to be skipped on this
// machine, in the form of SLUICE_REQUIRE:
//
//	SLUICE_REQUIRE=$(go run ./internal/test/skip/machine) go test ./...
//
// It prints missing features to standard error. It fails if SLUICE_REQUIRE names something that is
// no reason.
//
// It asks the kernel and the system's tools, and uses nothing of this module: a defect of a driver
// must not look like a machine without it.
package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/sluiceio/sluice/internal/test/skip"
)

func main() {
	if err := skip.Check(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	has, lacks := ask(probes)
	fmt.Println(strings.Join(has, ","))
	fmt.Fprint(os.Stderr, strings.Join(lacks, ""))
}

// ask returns the machine's features, and a line for each missing one.
func ask(probes map[skip.Reason]func() error) (has, lacks []string) {
	for _, r := range skip.Machine() {
		if err := probes[r](); err != nil {
			lacks = append(lacks, fmt.Sprintf("this machine lacks %s: %s\n", r, strings.Join(strings.Fields(err.Error()), " ")))
		} else {
			has = append(has, r.String())
		}
	}
	return has, lacks
}

// portable has the probes without system calls. probes has the rest.
var portable = map[skip.Reason]func() error{
	skip.Go:       programs("go"),
	skip.GCC:      programs("gcc"),
	skip.Git:      programs("git"),
	skip.Shell:    programs("sh", "cat", "true", "mkfifo"),
	skip.GNU:      gnu(9.1),
	skip.NewGNU:   gnu(9.5),
	skip.Setfattr: programs("setfattr"),
	skip.Bash:     bash,
	skip.Zsh:      programs("zsh"),
	skip.Fish:     programs("fish"),
	skip.Man:      programs("man"),
	skip.QEMU:     programs("qemu-system-x86_64"),
	skip.Chromium: chromium,
	skip.Socket:   socket,
	skip.Proxy:    proxy,
}

func programs(names ...string) func() error {
	return func() error {
		for _, name := range names {
			if _, err := exec.LookPath(name); err != nil {
				return err
			}
		}
		return nil
	}
}

// bash also looks for what the completions need.
func bash() error {
	if _, err := os.Stat("/usr/share/bash-completion/bash_completion"); err != nil {
		return err
	}
	return programs("bash")()
}

func chromium() error {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "headless-shell"} {
		if _, err := exec.LookPath(name); err == nil {
			return nil
		}
	}
	return errors.New("no chromium, chromium-browser, google-chrome or headless-shell")
}

// gnu asks cp and ls for their version.
func gnu(least float64) func() error {
	return func() error {
		for _, name := range []string{"cp", "ls"} {
			out, err := exec.Command(name, "--version").Output()
			if err != nil {
				return err
			}
			var version float64
			if _, err := fmt.Sscanf(string(out), name+" (GNU coreutils) %f", &version); err != nil || version < least {
				return fmt.Errorf("%s is not GNU's of version %.1f or later: %.40s", name, least, out)
			}
		}
		return nil
	}
}

func socket() error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "sluice")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	named, err := net.Listen("unix", filepath.Join(dir, "socket"))
	if err != nil {
		return err
	}
	return errors.Join(l.Close(), named.Close())
}

// proxy asks for a version that no cache knows.
func proxy() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", "list", "-m", "golang.org/x/sys@latest")
	cmd.Dir = os.TempDir() // outside of any module
	return run(cmd)
}

func run(cmd *exec.Cmd) error {
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%q: %w: %s", cmd.Args, err, out)
	}
	return nil
}
