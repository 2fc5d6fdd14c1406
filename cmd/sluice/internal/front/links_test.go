package front

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/sluiceio/sluice/internal/test/skip"
)

// heavy are packages that take time at the start of a program, or that bring in ones that do. net
// and os/user also make a program that the C library's loader has to start.
var heavy = []string{
	"crypto", "github.com/alecthomas/kong", "go/ast", "go/types", "html/template", "net", "net/http", "os/user",
	"regexp", "runtime/cgo", "runtime/metrics", "text/template", "github.com/hanwen/go-fuse/v2/fuse",
	"golang.org/x/tools/go/packages", "github.com/sluiceio/sluice/bench", "github.com/sluiceio/sluice/bench/experiments",
}

// most is the number of packages that the command has, and some to spare. Each is initialized
// before main begins.
const most = 150

// TestLinks checks that command sluice, whose start is most of the time of a small copy, has none
// of the heavy packages, and that sluice-tools has them: the list would be worth nothing otherwise.
func TestLinks(t *testing.T) {
	small := packages(t, "github.com/sluiceio/sluice/cmd/sluice")
	large := packages(t, "github.com/sluiceio/sluice/cmd/sluice/sluice-tools")
	for _, name := range heavy {
		if slices.Contains(small, name) {
			t.Errorf("sluice has package %s; want it in sluice-tools alone", name)
		}
		if !slices.Contains(large, name) {
			t.Errorf("sluice-tools has no package %s; want it out of the list of heavy packages", name)
		}
	}
	if len(small) > most {
		t.Errorf("sluice has %d packages; want at most %d", len(small), most)
	}
}

// packages returns the packages of a program.
func packages(t *testing.T, program string) []string {
	t.Helper()
	out, err := exec.Command("go", "list", "-deps", program).Output()
	if err != nil {
		skip.Forf(t, skip.Go, "no go command that lists the packages of %s: %v", program, err)
	}
	return strings.Fields(string(out))
}
