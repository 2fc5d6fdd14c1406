package groupcommit

import (
	"syscall"
	"testing"

	"github.com/sluiceio/sluice/internal/driver"
)

// begin begins a Sync and returns its group. It is to lead it or not, as leads says.
func begin(t *testing.T, y *Syncer, leads bool) *group {
	t.Helper()
	g, got, err := y.begin(driver.Fsync)
	if got != leads || err != nil {
		t.Fatalf("begin: leads %t, %v; want %t, nil", got, err, leads)
	}
	return g
}

// The first Sync is alone. Syncs that come while it runs share the next fsync, and one of them is
// woken to lead.
func TestRoles(t *testing.T) {
	var y Syncer
	if g := begin(t, &y, true); g != nil {
		t.Fatal("a lone Sync has a group")
	}
	g := begin(t, &y, false)
	if g2 := begin(t, &y, false); g2 != g || y.Members() != 2 {
		t.Fatalf("%d members in the group; want 2", y.Members())
	}
	if err := y.end(nil, Made{}); err != nil || len(g.mayLead) != 1 {
		t.Fatalf("End = %v; a member may lead: %t", err, len(g.mayLead) == 1)
	}
	<-g.mayLead
	if code := y.startGroup(g); code != driver.Fsync {
		t.Errorf("startGroup = %v; want %v", code, driver.Fsync)
	}
	late := begin(t, &y, false) // comes when that has started
	if late == g {
		t.Error("a Sync joined a group whose fsync runs")
	}
	if err := y.end(g, Made{Err: syscall.EIO}); err != syscall.EIO {
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

// A group fails, although its fsync succeeds, if a write-back has lost data while the leader waited
// for more members.
func TestLossBesideTheGroup(t *testing.T) {
	var y Syncer
	begin(t, &y, true)
	g := begin(t, &y, false)
	if err := y.end(nil, Made{}); err != nil {
		t.Fatal(err)
	}
	<-g.mayLead
	y.Writeback(func() int32 { return -int32(syscall.EIO) })
	y.startGroup(g)
	if err := y.end(g, Made{}); err != syscall.EIO || g.made.Err != syscall.EIO {
		t.Errorf("end = %v, and the members get %v; want EIO, EIO", err, g.made.Err)
	}
}

// A group that all members leave at the moment when it may start gives the permission back.
func TestLastLeavesWithThePermission(t *testing.T) {
	var y Syncer
	g := newGroup()
	g.add(2, driver.Fsync)
	y.running, y.next = true, g
	if err := y.end(nil, Made{}); err != nil || len(g.mayLead) != 1 {
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
	begin(t, &y, true)
}
