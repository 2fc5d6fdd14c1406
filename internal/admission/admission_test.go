package admission

import (
	"os"
	"strings"
	"testing"

	"github.com/sluiceio/sluice/internal/governor"
)

// PathOf and Room are the tables of decision 2: each row is tried with every value of its "any".
func TestTablesOfTheDecision(t *testing.T) {
	const ready = true
	bools := map[string][]bool{"yes": {true}, "no": {false}, "any": {false, true}}
	choices := map[string][]governor.Choice{
		"queue": {governor.Queue}, "plain": {governor.Plain}, "any": {governor.Queue, governor.Plain},
	}
	paths := map[string]Path{
		"queued": Queue,
		"a plain call if there is room and a permit is free, else queued": CallOrQueue,
		"a plain call, once there is a permit":                            CallOrWait,
		"a plain call without a permit":                                   Call,
	}
	covered := map[[3]bool]bool{}
	for _, row := range tableOf(t, "the driver can queue it") {
		want, known := paths[row[3]]
		if !known {
			t.Errorf("decision 2 has the path %q", row[3])
		}
		for _, queues := range bools[row[0]] {
			for _, ends := range bools[row[1]] {
				for _, waits := range bools[row[2]] {
					covered[[3]bool{queues, ends, waits}] = true
					if path := PathOf(queues, ends, waits); path != want {
						t.Errorf("PathOf(%t, %t, %t) = %v; decision 2 has %s", queues, ends, waits, path, row[3])
					}
				}
			}
		}
	}
	if len(covered) != 8 {
		t.Errorf("decision 2 has %d of 8 cases", len(covered))
	}

	inFlight := map[string][]int32{
		"any": {0, 3, 8, 100}, "0": {0}, "1 or more": {1, 100},
		"fewer than 2 a processor": {0, 15}, "2 a processor or more": {16, 100},
	}
	kinds := map[string]governor.Kind{"any": governor.Reads, "reads, writes": governor.Reads, "fsyncs": governor.Syncs}
	rooms := map[string]int32{"three quarters of the permits": 48, "2 permits a processor": 16, "1 permit": 1, "0": 0}
	rows := tableOf(t, "processors taken")
	if len(rows) != 6 {
		t.Fatalf("decision 2 has %d rows for Room", len(rows))
	}
	for _, row := range rows {
		kind, kindKnown := kinds[row[1]]
		want, roomKnown := rooms[row[4]]
		if !kindKnown || !roomKnown || bools[row[0]] == nil || choices[row[2]] == nil || inFlight[row[3]] == nil {
			t.Errorf("decision 2 has the row %q", row)
		}
		for _, taken := range bools[row[0]] {
			for _, c := range choices[row[2]] {
				for _, n := range inFlight[row[3]] {
					if most := Room(kind, c, Load{n, 64, 8, ready, taken}); most != want {
						t.Errorf("%v: with %v and %d in flight Room = %d", row, c, n, most)
					}
				}
			}
		}
	}
}

// tableOf returns the cells of decision 2's table whose first column has that head.
func tableOf(t *testing.T, head string) (rows [][]string) {
	t.Helper()
	page, err := os.ReadFile("../../docs/decisions/0002-paths.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(string(page), "| "+head+" |")
	if !found {
		t.Fatalf("decision 2 has no table %q", head)
	}
	table, _, _ = strings.Cut(table, "\n\n")
	for _, line := range strings.Split(table, "\n")[2:] {
		cells := strings.Split(strings.Trim(line, "| "), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		rows = append(rows, cells)
	}
	return rows
}

// Room has two more rules: one processor with a driver is no room, and room never exceeds
// PlainPermits.
func TestRoom(t *testing.T) {
	const ready, taken = true, true
	for _, c := range []struct {
		choice governor.Choice
		l      Load
		most   int32
	}{
		{governor.Plain, Load{0, 16, 1, ready, !taken}, 12},
		{governor.Plain, Load{100, 16, 2, !ready, !taken}, 12},
		{governor.Plain, Load{0, 16, 1, ready, taken}, 0},
		{governor.Plain, Load{1, 16, 1, !ready, taken}, 2},
		{governor.Plain, Load{2, 16, 1, !ready, taken}, 0},
		{governor.Plain, Load{1, 16, 64, ready, taken}, 12},
		{governor.Queue, Load{0, 16, 1, ready, !taken}, 0},
		{governor.Queue, Load{0, 16, 1, !ready, !taken}, 1},
		{governor.Queue, Load{1, 16, 1, !ready, !taken}, 0},
	} {
		if most := Room(governor.Reads, c.choice, c.l); most != c.most {
			t.Errorf("Room(%v, %+v) = %d; want %d", c.choice, c.l, most, c.most)
		}
	}
}

// The first guess goes by the processors. For large reads and fsyncs it goes by the permits.
func TestFew(t *testing.T) {
	for _, c := range []struct {
		kind          governor.Kind
		processors    int
		permits       int32
		ready, direct bool
		few           int32
	}{
		{governor.Reads, 1, 16, true, true, 0},
		{governor.Reads, 1, 16, true, false, 0},
		{governor.Reads, 1, 16, false, true, 2},
		{governor.Reads, 2, 16, true, true, 2},
		{governor.Reads, 2, 16, true, false, 4},
		{governor.Reads, 2, 16, false, true, 4},
		{governor.Reads, 3, 16, true, true, 6},
		{governor.PositionReads, 64, 64, true, true, 128},
		{governor.Writes, 2, 16, true, true, 4},
		{governor.Writes, 8, 16, true, true, 16},
		{governor.LargeReads, 2, 16, true, false, 16},
		{governor.Syncs, 64, 64, true, false, 48},
	} {
		if few := Few(c.kind, c.processors, c.permits, c.ready, c.direct); few != c.few {
			t.Errorf("%+v: Few = %d", c, few)
		}
	}
}
