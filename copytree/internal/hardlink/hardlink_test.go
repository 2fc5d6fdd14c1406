package hardlink

import (
	"testing"

	"github.com/sluiceio/sluice/copytree/internal/at"
	"github.com/sluiceio/sluice/copytree/internal/dirs"
)

var id = at.ID{Dev: 1, Ino: 2}

// TestTable finds three names of a file: the first is copied, the second waits for
// it, and after the third the table has forgotten the file.
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
	name[0] = 'x' // Made must have copied it: the caller uses its memory again
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

// TestTableWithoutCopy: when there is no copy, the next name is copied.
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
	table.Lost(id, failed) // an old copy, which is not in the table any more
	if again, first := table.Find(id, 3); first || again != next {
		t.Errorf("Find = %p, %t; want %p, false", again, first, next)
	}
}
