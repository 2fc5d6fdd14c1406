package experiments

import "fmt"

// Points returns each side of each row.
func (r *Fig5Result) Points() []Point {
	var points []Point
	for _, row := range r.Rows {
		name := fmt.Sprintf("%s of %d bytes, goroutines: %d", row.Kind, row.Size, row.Goroutines)
		for _, s := range row.Sides {
			points = append(points, Point{name, row.Load, s.Result})
		}
	}
	return points
}

// check returns an error for a system call without a name, or with a negative time.
func (r *Fig5Result) check() error {
	for _, p := range r.Points() {
		for _, s := range p.Rounds {
			if s.Syscalls == nil {
				continue
			}
			for _, c := range s.Syscalls.Calls {
				if c.Name == "" || c.Count < 0 || c.Time < 0 || s.Syscalls.Ops < 0 {
					return fmt.Errorf("a system call of %q is damaged", p.Cell)
				}
			}
		}
	}
	return nil
}
