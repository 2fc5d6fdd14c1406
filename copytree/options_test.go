package copytree

import (
	"strings"
	"testing"

	"github.com/sluiceio/sluice/copytree/internal/option"
	"github.com/sluiceio/sluice/copytree/internal/report"
)

// TestOptionsCheck checks that the error about an invalid option names the option.
func TestOptionsCheck(t *testing.T) {
	for want, o := range map[string]Options{
		"Concurrency of -1":   {Concurrency: -1},
		"Concurrency of 1025": {Concurrency: 1025},
		"Existing":            {Existing: Older + 1},
		"Reflink":             {Reflink: ReflinkNever + 1},
		"Sync":                {Sync: SyncFiles + 1},
		"Preserve":            {Preserve: PreserveContext << 1},
		"Preserve of 0x8000":  {Preserve: Preserve(option.NoMode)},
		"Require":             {Require: PreserveAll | 1<<14},
	} {
		_, err := Copy(t.Context(), "nowhere", "nothing", o)
		if err == nil || !strings.Contains(err.Error(), "Options."+want) {
			t.Errorf("Copy = %v; want something of Options.%s", err, want)
		}
	}
}

// TestNumbers checks that the constants equal the engine's, to which Copy converts them.
func TestNumbers(t *testing.T) {
	for name, pair := range map[string][2]int{
		"PreserveMode":    {int(PreserveMode), int(option.PreserveMode)},
		"PreserveOwner":   {int(PreserveOwner), int(option.PreserveOwner)},
		"PreserveTimes":   {int(PreserveTimes), int(option.PreserveTimes)},
		"PreserveLinks":   {int(PreserveLinks), int(option.PreserveLinks)},
		"PreserveXattr":   {int(PreserveXattr), int(option.PreserveXattr)},
		"PreserveContext": {int(PreserveContext), int(option.PreserveContext)},
		"PreserveAll":     {int(PreserveAll), int(option.PreserveAll)},
		"Overwrite":       {int(Overwrite), int(option.Overwrite)},
		"Skip":            {int(Skip), int(option.Skip)},
		"SkipFail":        {int(SkipFail), int(option.SkipFail)},
		"Older":           {int(Older), int(option.Older)},
		"ReflinkAuto":     {int(ReflinkAuto), int(option.ReflinkAuto)},
		"ReflinkAlways":   {int(ReflinkAlways), int(option.ReflinkAlways)},
		"ReflinkNever":    {int(ReflinkNever), int(option.ReflinkNever)},
		"SyncNone":        {int(SyncNone), int(option.SyncNone)},
		"SyncFileSystem":  {int(SyncFileSystem), int(option.SyncFileSystem)},
		"SyncFiles":       {int(SyncFiles), int(option.SyncFiles)},
		"MaxErrors":       {MaxErrors, report.MaxErrors},
		"Copied":          {int(Copied), int(report.Copied)},
		"Cloned":          {int(Cloned), int(report.Cloned)},
		"Linked":          {int(Linked), int(report.Linked)},
		"Symlinked":       {int(Symlinked), int(report.Symlinked)},
		"MadeDir":         {int(MadeDir), int(report.MadeDir)},
		"MadeSpecial":     {int(MadeSpecial), int(report.MadeSpecial)},
		"Skipped":         {int(Skipped), int(report.Skipped)},
		"Merged":          {int(Merged), int(report.Merged)},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s = %d, and %d of the engine", name, pair[0], pair[1])
		}
	}
}
