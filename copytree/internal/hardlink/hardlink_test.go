package hardlink

import (
	"testing"

	"github.com/sluiceio/sluice/copytree/internal/at"
	"github.com/sluiceio/sluice/copytree/internal/dirs"
)

var id = at.ID{Dev: 1, Ino: 2}

// TestTable finds three names of a file. The first is copied, the second waits for it, and the
// third finds it.
func TestTable(t *testing.T) {
	var table Table
	c, first := table.Find(id)
	if !first {
		t.Fatal("the first name is not the first")
	}
	second, first := table.Find(id)
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
	if third, first := table.Find(id); first || !third.Wait() {
		t.Error("the third name does not find the copy")
	}
}

// TestTableWithoutCopy checks that the next name is copied if there is no copy.
func TestTableWithoutCopy(t *testing.T) {
	var table Table
	failed, _ := table.Find(id)
	table.Made(id, failed, nil, nil, false)
	if failed.Wait() {
		t.Error("Wait = true without a copy")
	}
	next, first := table.Find(id)
	if !first {
		t.Fatal("the next name is not the first")
	}
	table.Lost(id, failed) // an old copy, no longer in the table
	if again, first := table.Find(id); first || again != next {
		t.Errorf("Find = %p, %t; want %p, false", again, first, next)
	}
}
