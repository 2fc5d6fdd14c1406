package groupcommit

import (
	"syscall"
	"testing"

	"github.com/sluiceio/sluice/internal/driver"
)

// wantRole begins a Sync and returns its group. It must have the role.
func wantRole(t *testing.T, y *Syncer, want role) *group {
	t.Helper()
	got, g, err := y.begin(driver.Fsync)
	if got != want || err != nil {
		t.Fatalf("Begin = %v, %v; want %v, nil", got, err, want)
	}
	return g
}

// The first Sync is alone. Syncs that come while it runs share the next fsync, and one of them is
// woken to lead.
func TestRoles(t *testing.T) {
	var y Syncer
	wantRole(t, &y, alone)
	g := wantRole(t, &y, member)
	if g2 := wantRole(t, &y, member); g2 != g || y.Members() != 2 {
		t.Fatalf("%d members in the group; want 2", y.Members())
	}
	if err := y.end(alone, nil, Made{}); err != nil || len(g.mayLead) != 1 {
		t.Fatalf("End = %v; a member may lead: %t", err, len(g.mayLead) == 1)
	}
	<-g.mayLead
	if code := y.startGroup(g); code != driver.Fsync {
		t.Errorf("startGroup = %v; want %v", code, driver.Fsync)
	}
	late := wantRole(t, &y, member) // comes when that has started
	if late == g {
		t.Error("a Sync joined a group whose fsync runs")
	}
	if err := y.end(leader, g, Made{Err: syscall.EIO}); err != syscall.EIO {
		t.Errorf("EndGroup = %v; want EIO", err)
	}
	for _, g := range []*group{g, late} {
		if len(g.mayLead) != 0 || len(g.done) == 0 || g.made.Err != syscall.EIO {
			t.Errorf("a member may lead: %t, the group has ended: %t, with %v; want false, true, EIO",
				len(g.mayLead) != 0, len(g.done) > 0, g.made.Err)
		}
	}
	if _, _, err := y.begin(driver.Fsync); err != syscall.EIO {
		t.Errorf("a later Begin = %v; want EIO", err)
	}
}

// A group fails, although its fsync succeeds, if the fsync on the second descriptor has lost data
// while the leader waited for more members.
func TestLossBesideTheGroup(t *testing.T) {
	var y Syncer
	wantRole(t, &y, alone)
	g := wantRole(t, &y, member)
	if err := y.end(alone, nil, Made{}); err != nil {
		t.Fatal(err)
	}
	<-g.mayLead
	if err := y.end(second, nil, Made{Err: syscall.EIO}); err != syscall.EIO {
		t.Fatalf("end = %v; want EIO", err)
	}
	y.startGroup(g)
	if err := y.end(leader, g, Made{}); err != syscall.EIO || g.made.Err != syscall.EIO {
		t.Errorf("end = %v, and the members get %v; want EIO, EIO", err, g.made.Err)
	}
}

// A group that all members leave at the moment when it may start gives the permission back.
func TestLastLeavesWithThePermission(t *testing.T) {
	var y Syncer
	g := newGroup()
	g.add(2, driver.Fsync)
	y.running, y.next = true, g
	if err := y.end(alone, nil, Made{}); err != nil || len(g.mayLead) != 1 {
		t.Fatalf("End = %v; the group may start: %t", err, len(g.mayLead) == 1)
	}
	y.leave(driver.Fsync, g)
	if !y.running || len(g.mayLead) != 1 {
		t.Error("the permission went with a member that was not the last")
	}
	y.leave(driver.Fsync, g)
	if y.running || len(g.mayLead) != 0 {
		t.Error("all later Syncs wait for a group that nobody is in")
	}
	wantRole(t, &y, leader)
}

// Two Syncs of much are made by two fsyncs at a time, and more of them in groups.
func TestManySyncsAreGrouped(t *testing.T) {
	var y Syncer
	y.unsynced.Store(HugeWritten)
	for expected, want := range map[int]bool{2: true, 16: false} {
		y.delay.expected = expected
		if got := y.usesSecondFD(); got != want {
			t.Errorf("%d Syncs at a time are made in pairs: %t; want %t", expected, got, want)
		}
	}
}
