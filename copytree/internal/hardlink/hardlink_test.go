package hardlink

import (
	"testing"

	"github.com/sluiceio/sluice/copytree/internal/at"
	"github.com/sluiceio/sluice/copytree/internal/dirs"
)

var id = at.ID{Dev: 1, Ino: 2}

// TestTable finds three names of a file. The first is copied, the second waits for it, and after
// the third the table has forgotten the file.
func TestTable(t *testing.T) {
	var table Table
	c, first := table.Find(id, 3)
	if !first {
		t.Fatal("the first name is not the first")
	}
	second, first := table.Find(id, 3)
	if first || second != c {
		t.Fatalf("Find of the second name = %p, %t; want %p, false", second, first, c)
	}
	linked := make(chan bool)
	go func() { linked <- second.Wait() }()
	d, name := &dirs.Dir{}, at.NameOf("name")
	table.Made(id, c, d, name, true)
	name[0] = 'x' // Made must have copied it: the caller reuses its memory
	if !<-linked || second.Dir != d || second.Name.String() != "name" {
		t.Errorf("the copy is %q in %p; want \"name\" in %p", second.Name, second.Dir, d)
	}
	if third, first := table.Find(id, 3); first || !third.Wait() {
		t.Error("the third name does not find the copy")
	}
	if len(table.copies) != 0 {
		t.Errorf("%d files are left in the table; want 0", len(table.copies))
	}
}

// TestTableWithoutCopy checks that the next name is copied if there is no copy.
func TestTableWithoutCopy(t *testing.T) {
	var table Table
	failed, _ := table.Find(id, 3)
	table.Made(id, failed, nil, nil, false)
	if failed.Wait() {
		t.Error("Wait = true without a copy")
	}
	next, first := table.Find(id, 3)
	if !first {
		t.Fatal("the next name is not the first")
	}
	table.Lost(id, failed) // an old copy, no longer in the table
	if again, first := table.Find(id, 3); first || again != next {
		t.Errorf("Find = %p, %t; want %p, false", again, first, next)
	}
}
