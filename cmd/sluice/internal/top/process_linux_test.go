package top

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/sluiceio/sluice/internal/test/skip"
	"github.com/sluiceio/sluice/trace/live"
)

// TestFindProcess finds this process's own live look, among other sockets.
func TestFindProcess(t *testing.T) {
	other, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	go http.Serve(other, http.NotFoundHandler()) // until other is closed
	l, err := net.Listen("tcp", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	mux := http.NewServeMux()
	mux.Handle("/debug/sluice/", live.Handler())
	go http.Serve(l, mux) // until l is closed
	got, err := Find(t.Context(), fmt.Sprint(os.Getpid()))
	want := fmt.Sprintf("http://127.0.0.1:%d/debug/sluice/", l.Addr().(*net.TCPAddr).Port)
	if want6 := strings.Replace(want, "127.0.0.1", "[::1]", 1); err != nil || got != want && got != want6 {
		t.Errorf("Find of this process = %q, %v; want %q", got, err, want)
	}
	f, err := Fetch(t.Context(), got)
	if err != nil || f.PID != os.Getpid() {
		t.Errorf("Fetch = %+v, %v", f, err)
	}
}

// TestFindNone: a process that is gone, and one in another network namespace.
func TestFindNone(t *testing.T) {
	c := exec.Command("true")
	if err := c.Run(); err != nil {
		t.Fatal(err)
	}
	if _, err := Find(t.Context(), fmt.Sprint(c.Process.Pid)); err == nil || !strings.Contains(err.Error(), "there is no process") {
		t.Errorf("Find of a process that is gone = %v", err)
	}
	c = exec.Command("unshare", "-n", "sh", "-c", "echo; exec sleep 60")
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		skip.For(t, skip.Mount, err)
	}
	defer func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	}()
	if _, err := out.Read(make([]byte, 1)); err != nil {
		skip.For(t, skip.Mount, "no network namespace can be made")
	}
	if _, err := Find(t.Context(), fmt.Sprint(c.Process.Pid)); err == nil || !strings.Contains(err.Error(), "another network namespace") {
		t.Errorf("Find of a process in another network namespace = %v", err)
	}
}

func TestParseSocket(t *testing.T) {
	for line, want := range map[string]string{
		"   0: 0100007F:17AC 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4711 1 0000000000000000 100 0 0 10 0":                                                 "127.0.0.1:6060 4711",
		"   0: 00000000000000000000000001000000:17AC 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4712 1 0000000000000000 100 0 0 10 0": "[::1]:6060 4712",
		"   1: 0100007F:17AC 0100007F:1000 01 00000000:00000000 00:00000000 00000000     0        0 4713 1 0000000000000000 20 4 30 10 -1":                                                "",
		"  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode":                                                                                "",
		"": "",
	} {
		at, inode, ok := parseSocket(line)
		if got := at.String() + " " + inode; ok != (want != "") || ok && got != want {
			t.Errorf("%q is %q, %v; want %q", line, got, ok, want)
		}
	}
}
