package top

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// mostAsked is the most sockets of a process that are asked.
const mostAsked = 16

// findProcess returns the URL of a process's live look. It asks the TCP sockets at which the
// process listens, the one in its SLUICE_DEBUG_ADDR first.
func findProcess(ctx context.Context, pid int) (string, error) {
	dir := filepath.Join("/proc", strconv.Itoa(pid))
	if _, err := os.Stat(dir); err != nil {
		return "", fmt.Errorf("there is no process %d", pid)
	}
	own, err := os.Readlink("/proc/self/ns/net")
	its, itsErr := os.Readlink(filepath.Join(dir, "ns/net"))
	switch {
	case errors.Is(itsErr, fs.ErrPermission):
		return "", errForeign(pid)
	case err == nil && itsErr == nil && own != its:
		return "", fmt.Errorf("process %d is in another network namespace, as in a container; run sluice there, as by nsenter -n -t %d, or name an address that reaches it", pid, pid)
	}
	sockets, err := listening(dir)
	switch {
	case errors.Is(err, fs.ErrPermission):
		return "", errForeign(pid)
	case err != nil:
		return "", fmt.Errorf("cannot look at process %d: %w", pid, err)
	}
	port := debugPort(dir)
	slices.SortStableFunc(sockets, func(a, b netip.AddrPort) int { return rank(b, port) - rank(a, port) })
	for _, s := range sockets[:min(len(sockets), mostAsked)] {
		at := urlOf(reachable(s.Addr()).String(), strconv.Itoa(int(s.Port())))
		if answers(ctx, at) {
			return at, nil
		}
	}
	return "", fmt.Errorf("process %d has no live look; start it with SLUICE_DEBUG_ADDR=localhost:0 if sluice build has built it, or have it serve live.Handler of package trace/live at /debug/sluice/", pid)
}

// errForeign is the error of a process that this one may not look at.
func errForeign(pid int) error {
	return fmt.Errorf("process %d may not be looked at by this user; run as its user or root, or name its address", pid)
}

// rank returns 1 for the socket with the port, and 0 for others.
func rank(s netip.AddrPort, port uint16) int {
	if s.Port() == port && port != 0 {
		return 1
	}
	return 0
}

// answers reports whether the live look is at that URL. It asks for a format that there is not:
// the refusal comes at once.
func answers(ctx context.Context, at string) bool {
	ctx, stop := context.WithTimeout(ctx, AskTime)
	defer stop()
	status, body, err := get(ctx, at+"?format=none")
	return err == nil && status == http.StatusBadRequest && bytes.HasPrefix(body, []byte("sluice: format="))
}

// reachable returns the address at which this machine reaches a socket.
func reachable(a netip.Addr) netip.Addr {
	switch {
	case !a.IsUnspecified():
		return a
	case a.Is4():
		return netip.AddrFrom4([4]byte{127, 0, 0, 1})
	}
	return netip.IPv6Loopback()
}

// debugPort returns the port in the process's SLUICE_DEBUG_ADDR, or 0.
func debugPort(dir string) uint16 {
	environ, err := os.ReadFile(filepath.Join(dir, "environ"))
	if err != nil {
		return 0
	}
	for variable := range bytes.SplitSeq(environ, []byte{0}) {
		if addr, ok := strings.CutPrefix(string(variable), "SLUICE_DEBUG_ADDR="); ok {
			// 0 if it is wrong
			n, _ := strconv.ParseUint(addr[strings.LastIndexByte(addr, ':')+1:], 10, 16)
			return uint16(n)
		}
	}
	return 0
}

// listening returns the addresses at which the process listens.
func listening(dir string) (found []netip.AddrPort, err error) {
	own, err := sockets(dir)
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"tcp", "tcp6"} {
		table, err := os.ReadFile(filepath.Join(dir, "net", name))
		if errors.Is(err, fs.ErrNotExist) {
			continue // no IPv6
		}
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(table)) {
			at, inode, ok := parseSocket(line)
			if ok && own[inode] {
				found = append(found, at)
			}
		}
	}
	return found, nil
}

// sockets returns the inodes of the process's sockets.
func sockets(dir string) (map[string]bool, error) {
	fds := filepath.Join(dir, "fd")
	names, err := os.ReadDir(fds)
	if err != nil {
		return nil, err
	}
	inodes := make(map[string]bool)
	for _, name := range names {
		target, err := os.Readlink(filepath.Join(fds, name.Name()))
		if inode, ok := strings.CutPrefix(target, "socket:["); err == nil && ok {
			inodes[strings.TrimSuffix(inode, "]")] = true
		}
	}
	return inodes, nil
}

// parseSocket reads a line of /proc/net/tcp or tcp6. ok is false unless the socket listens.
func parseSocket(line string) (at netip.AddrPort, inode string, ok bool) {
	fields := strings.Fields(line)
	const listens = "0A"
	if len(fields) < 10 || fields[3] != listens {
		return at, "", false
	}
	host, port, _ := strings.Cut(fields[1], ":")
	b, err := hex.DecodeString(host)
	if err != nil || len(b) != 4 && len(b) != 16 {
		return at, "", false
	}
	for i := 0; i < len(b); i += 4 { // words of the machine, which is little-endian
		slices.Reverse(b[i : i+4])
	}
	addr, _ := netip.AddrFromSlice(b)
	n, err := strconv.ParseUint(port, 16, 16)
	return netip.AddrPortFrom(addr.Unmap(), uint16(n)), fields[9], err == nil
}
