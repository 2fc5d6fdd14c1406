package transparent_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/sluiceio/sluice/internal/test/skip"
)

// unwanted are large packages that a program of sluice build is not to have because of sluice: each
// build would compile or check them, and link them.
var unwanted = []string{"encoding/json", "net", "net/http", "regexp", "text/template"}

// TestPackages checks which packages sluice build adds.
func TestPackages(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "github.com/sluiceio/sluice/transparent").Output()
	if err != nil {
		skip.Forf(t, skip.Go, "no go command that lists the packages: %v", err)
	}
	added := strings.Fields(string(out))
	if !slices.Contains(added, "github.com/sluiceio/sluice/internal/tune") {
		t.Fatalf("the packages are %q; want internal/tune among them", added)
	}
	for _, name := range unwanted {
		if slices.Contains(added, name) {
			t.Errorf("sluice build adds package %s; want none of %q", name, unwanted)
		}
	}
}
