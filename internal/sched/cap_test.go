package sched

import (
	"testing"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/driver/script"
	"github.com/sluiceio/sluice/internal/fair"
)

// Each device has its cap, whether its ring or the first class was there first.
func TestCapOfEachDevice(t *testing.T) {
	for _, classFirst := range []bool{true, false} {
		p := newSeveral(t, 2, func(_ int, d *script.Driver) driver.Driver {
			d.Rule = whole
			return d.Staging()
		})
		p.Classes().SetCapFinder(func(device uint64) fair.Cap { return fair.Cap{Depth: int(device), Bytes: 1 << 20, Beside: 1 << 20} })
		if classFirst {
			p.Classes().New("class", fair.Settings{Weight: 1})
		}
		files := [2]*File{on(3), on(5)} // a device with a file is not forgotten, and keeps its ring
		for _, f := range files {
			<-p.begin(f)
		}
		if !classFirst {
			p.Classes().New("class", fair.Settings{Weight: 1})
		}
		for _, d := range p.drv {
			d.Mu.Lock()
			d.Rule, d.Seen = nil, nil
			d.Mu.Unlock()
		}
		var transfers [2][10]Transfer
		for i := range transfers {
			for j := range transfers[i] {
				p.StartRead(&transfers[i][j], files[i], make([]byte, 512), 0, 0)
			}
		}
		for i, d := range p.drv {
			d.Next(3 + 2*i - 1)
		}
		if st := p.Classes().Default().Stats(); st.InFlight != 3+5 || st.Queued != 12 {
			t.Errorf("class first: %v: the class's Stats are %+v; want 8 in flight, 12 queued", classFirst, st)
		}
		for i := range transfers {
			for j := range transfers[i] {
				p.drv[i].Answer(p.drv[i].Next(j), 512)
				if n, err := transfers[i][j].Wait(t.Context()); n != 512 || err != nil {
					t.Errorf("Wait = %d, %v; want 512", n, err)
				}
			}
		}
	}
}

// While the cap of a device is being looked for, which may wait for a file, operations with
// tickets go on: on that device, on others, and on one that is used for the first time.
func TestCapFinderThatWaits(t *testing.T) {
	p := newSeveral(t, 2, func(_ int, d *script.Driver) driver.Driver {
		d.Rule = whole
		return d.Staging()
	})
	entered, release := make(chan bool), make(chan bool)
	p.Classes().SetCapFinder(func(device uint64) fair.Cap {
		if device == 5 {
			entered <- true
			<-release
		}
		return fair.Cap{Depth: 1, Bytes: 1 << 20, Beside: 1 << 20}
	})
	files := map[int]*File{3: on(3), 5: on(5), 7: on(7)} // a device with a file is not forgotten
	goOn := func(devices ...int) {                       // hangs if a lock is held
		t.Helper()
		for _, device := range devices {
			if n, err := p.ReadAt(t.Context(), files[device], make([]byte, 512), 0); n != 512 || err != nil {
				t.Errorf("ReadAt on device %d = %d, %v; want 512", device, n, err)
			}
		}
	}
	p.Classes().New("first", fair.Settings{Weight: 1})
	goOn(3)
	first := make(chan bool)
	go func() {
		goOn(5)
		close(first)
	}()
	<-entered
	goOn(3, 5, 7)
	release <- true
	<-first
	added := make(chan bool)
	go func() {
		p.Classes().New("second", fair.Settings{Weight: 1})
		close(added)
	}()
	<-entered
	goOn(3, 5, 7)
	release <- true
	<-added
}
