package option

import (
	"strings"
	"testing"
)

// TestCheck checks that the error about an invalid option names the option.
func TestCheck(t *testing.T) {
	for want, o := range map[string]Options{
		"BlockSize of 511":      {BlockSize: 511},
		"BlockSize of -1":       {BlockSize: -1},
		"BlockSize of 67108865": {BlockSize: 64<<20 + 1},
		"Concurrency of -1":     {Concurrency: -1},
		"Concurrency of 1025":   {Concurrency: 1025},
		"Make":                  {Make: MakeAttributes + 1},
		"Existing":              {Existing: Older + 1},
		"Follow":                {Follow: FollowAll + 1},
		"Reflink":               {Reflink: ReflinkNever + 1},
		"Sparse":                {Sparse: SparseNever + 1},
		"Sync":                  {Sync: SyncFiles + 1},
		"Preserve":              {Preserve: PreserveContext << 1},
		"Require":               {Require: PreserveAll | 1<<14},
	} {
		if err := o.Check(true); err == nil || !strings.Contains(err.Error(), "Options."+want) {
			t.Errorf("Check = %v; want something of Options.%s", err, want)
		}
	}
	most := Options{Preserve: PreserveAll | NoMode, Concurrency: 1024, BlockSize: 64 << 20, Sync: SyncFiles}
	if err := most.Check(false); err != nil {
		t.Errorf("Check of the highest values = %v", err)
	}
}
