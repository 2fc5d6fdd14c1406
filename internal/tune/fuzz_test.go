package tune

import (
	"os"
	"path/filepath"
	"testing"
)

// FuzzLoad checks that Load accepts nothing out of bounds, and that Save keeps what Load has
// returned.
func FuzzLoad(f *testing.F) {
	f.Add([]byte(`{"version":1,"device":"vda","size_bytes":5,"time":"2026-01-02T03:04:05Z","depth":64,"bytes":4194304,"beside_bytes":131072}`))
	f.Add([]byte(`{"version":1,"depth":-1,"bytes":4194304,"beside_bytes":131072}`))
	f.Add([]byte(`null`))
	f.Fuzz(func(t *testing.T, text []byte) {
		name := filepath.Join(t.TempDir(), "saved.json")
		t.Setenv(Variable, name)
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
		m, path, err := Load(disk)
		if path != name {
			t.Errorf("Load of %s names %s", name, path)
		}
		if err != nil {
			return
		}
		if m.Depth < 1 || m.Depth > MaxDepth || m.Bytes < MinBytes || m.Bytes > MaxBytes || m.Beside < BesideUnit || m.Beside > MaxBytes {
			t.Errorf("Load has accepted %+v", m)
		}
		d := Device{Name: m.Device, Bytes: m.Size}
		if _, err := Save(d, m); err != nil {
			t.Fatalf("Save of what Load has returned: %v", err)
		}
		again, _, err := Load(d)
		if err != nil || !again.Time.Equal(m.Time) {
			t.Fatalf("Load after Save = %+v, %v; want %+v", again, err, m)
		}
		if again.Time = m.Time; again != m {
			t.Errorf("Load after Save = %+v; want %+v", again, m)
		}
	})
}
