package debugserver

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"
)

// parse reads an address: host:port. The host is an IP address, or localhost. None is localhost: a
// program is to be reached from other machines only if its user says so.
func parse(text string) (netip.AddrPort, error) {
	host, port, ok := cut(text)
	if !ok {
		return netip.AddrPort{}, fmt.Errorf("%q is not an address; want host:port, as in localhost:6060", text)
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return netip.AddrPort{}, fmt.Errorf("%q is not a port from 0 to 65535", port)
	}
	if host == "" || host == "localhost" {
		host = "127.0.0.1"
	}
	addr, err := netip.ParseAddr(host)
	if err != nil || addr.Zone() != "" {
		return netip.AddrPort{}, fmt.Errorf("the host %q is not localhost or an IP address", host)
	}
	return netip.AddrPortFrom(addr.Unmap(), uint16(n)), nil
}

// cut divides an address at its last colon, and takes the brackets off an IPv6 address.
func cut(text string) (host, port string, ok bool) {
	i := strings.LastIndexByte(text, ':')
	if i < 0 {
		return "", "", false
	}
	host, port = text[:i], text[i+1:]
	if inside, found := strings.CutPrefix(host, "["); found {
		host, ok = strings.CutSuffix(inside, "]")
		return host, port, ok
	}
	return host, port, !strings.Contains(host, ":")
}

// isLocal reports whether the host of a request is this machine. A page of another site could
// otherwise have its own name resolve to this address, and read the answers.
func isLocal(host string) bool {
	name, _, ok := cut(host)
	if !ok {
		name = strings.Trim(host, "[]")
	}
	addr, err := netip.ParseAddr(name)
	return name == "localhost" || err == nil && addr.IsLoopback()
}
