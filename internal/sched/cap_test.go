package sched

import (
	"testing"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/driver/script"
	"github.com/sluiceio/sluice/internal/fair"
)

// Each device's cap is its own, whether its ring or the first class was there
// first; what has no device, or shares a ring, has another's.
func TestCapOfEachDevice(t *testing.T) {
	for _, classFirst := range []bool{true, false} {
		p := newSeveral(t, 2, func(_ int, d *script.Driver) driver.Driver {
			d.Rule = whole
			return d.Staging()
		})
		p.SetCapFinder(func(device uint64) fair.Cap { return fair.Cap{Depth: int(device), Bytes: 1 << 20, Beside: 1 << 20} })
		p.SetCap(fair.Cap{Depth: 9, Bytes: 1 << 20, Beside: 1 << 20})
		if classFirst {
			p.NewClass("class", fair.Settings{Weight: 1})
		}
		for _, device := range []int{3, 5} {
			<-p.begin(on(device))
		}
		if !classFirst {
			p.NewClass("class", fair.Settings{Weight: 1})
		}
		p.SetCap(fair.Cap{Depth: 7, Bytes: 1 << 20, Beside: 1 << 20})
		for _, d := range p.drv {
			d.Mu.Lock()
			d.Rule, d.Seen = nil, nil
			d.Mu.Unlock()
		}
		var transfers [2][10]Transfer
		for i := range transfers {
			for j := range transfers[i] {
				p.StartRead(&transfers[i][j], on(3+2*i), make([]byte, 512), 0, 0)
			}
		}
		for i, d := range p.drv {
			d.Next(3 + 2*i - 1)
		}
		if st := p.DefaultClass().Stats(); st.InFlight != 3+5 || st.Queued != 12 {
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
