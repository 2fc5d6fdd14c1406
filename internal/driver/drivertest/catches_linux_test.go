package drivertest

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/driver/pool"
	"github.com/sluiceio/sluice/internal/test/skip"
)

// catches has, for each defect, the tests that must notice it.
var catches = map[string][]string{
	"twice":        {"Need", "WholeBatches"},
	"loses":        {"ReapLimit", "ReapPoll", "PrefixReuse", "WakeStorm", "Cancel", "CancelRace", "ManySubmitters"},
	"early":        {"Need", "ReapWaits"},
	"over":         {"Nop"},
	"result":       {"Read", "Short", "TenThousand", "Random"},
	"claims":       {"SizeLimit"},
	"place":        {"Read", "TenThousand", "Random", "RandomDepth1", "WholeBatches"},
	"tail":         {"Write", "Random", "Direct", "DirectExtend"},
	"grows":        {"Short"},
	"zero":         {"Zero"},
	"large":        {"Large"},
	"nosync":       {"Errno"},
	"syncs":        {"Sync"},
	"errno":        {"Errno", "Random", "FullDevice", "SizeLimit", "Pipe", "PipeStuck", "DirectErrno"},
	"unknown":      {"UnknownCode"},
	"changes":      {"Read"},
	"noresult":     {"Nop"},
	"deep":         {"Prefix"},
	"shallow":      {"Prefix"},
	"refuses":      {"Prefix", "Need"},
	"info":         {"Info"},
	"none":         {"SubmitNone"},
	"polls":        {"ReapNone"},
	"wakes":        {"WakesDoNotAddUp"},
	"wakeless":     {"WakeDuring", "WakeNeed"},
	"wakelost":     {"WakeBefore", "WakeKept"},
	"wakedropped":  {"WakeKept"},
	"cancels":      {"CancelAfterReap"},
	"cancelsother": {"Cancel"},
	"closeearly":   {"CloseInFlight", "CloseHalfReaped"},
	"closewrites":  {"CloseInFlight"},
	"closefails":   {"CloseWoken"},
	"closed":       {"CloseTwice"},
	"closetwice":   {"CloseTwice"},
	"goroutine":    {"CloseIdle", "CloseLeavesNothing"},
	"descriptor":   {"CloseLeavesNothing"},
	"staged":       {"StagePoll", "Stage"},
	"stagedeep":    {"StageFull"},
	"stageclosed":  {"CloseStaged"},
	"regblind":     {"RegisteredOutside", "RegisterAgain"},
	"regedge":      {"RegisteredOutside"},
	"regempty":     {"RegisteredEmpty"},
	"regplace":     {"Registered"},
	"regtwice":     {"RegisterAgain", "RegisterMany"},
	"regkeeps":     {"RegisterAgain"},
	"regleaks":     {"RegisterAgain"},
	"reginflight":  {"RegisterInFlight"},
	"regclosed":    {"CloseRegistered"},
	"regnothing":   {"RegisterNothing"},
}

// tries is how often a test may miss a defect that shows only for some orders of events.
const tries = 5

// TestCatches runs the suite on broken drivers, each in a new process, and checks that the right
// tests fail.
func TestCatches(t *testing.T) {
	if testing.Short() {
		skip.For(t, skip.Short, "starts a process for each way to break a driver")
	}
	for how, tests := range catches {
		for _, name := range tests {
			t.Run(how+"/"+name, func(t *testing.T) {
				for range tries - 1 {
					if _, caught := runBroken(t, how, name); caught {
						return
					}
				}
				if out, caught := runBroken(t, how, name); !caught {
					t.Errorf("%s passes on a driver that %s\n%.2000s", name, how, out)
				}
			})
		}
	}
}

// TestCatchesNothing checks that no test fails, or seems to hang, on a driver without a defect.
func TestCatchesNothing(t *testing.T) {
	c := exec.Command(os.Args[0], "-test.run=^TestBroken$")
	c.Env = append(os.Environ(), "DRIVERTEST_BROKEN=nothing")
	if out, err := c.CombinedOutput(); err != nil {
		t.Errorf("%v\n%.2000s", err, out)
	}
}

// runBroken runs one test on a broken driver, and reports whether the test has failed. A test
// that hangs ends without removing its files, so these are in a directory of t.
func runBroken(t *testing.T, how, name string) (out []byte, caught bool) {
	t.Helper()
	c := exec.Command(os.Args[0], "-test.run=^TestBroken$/^"+name+"$")
	c.Env = append(os.Environ(), "DRIVERTEST_BROKEN="+how, "TMPDIR="+t.TempDir())
	out, err := c.CombinedOutput()
	return out, err != nil &&
		(strings.Contains(string(out), "--- FAIL: TestBroken/"+name) || strings.Contains(string(out), brokenHangs))
}

// TestBroken is run by TestCatches. Without TestCatches it runs on a driver without a defect,
// wrapped as the broken ones are.
func TestBroken(t *testing.T) {
	how := os.Getenv("DRIVERTEST_BROKEN")
	if how != "" {
		go endDeadlock()
	}
	Run(t, func(t testing.TB, depth int) driver.Driver {
		p, err := pool.New(pool.Options{Depth: depth})
		if err != nil {
			t.Fatal(err)
		}
		return &broken{Driver: p, how: how, memory: map[int][]byte{}, bad: map[*driver.Op]bool{}}
	})
}
