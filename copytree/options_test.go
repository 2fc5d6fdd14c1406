package copytree

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sluiceio/sluice/copytree/internal/content"
	"github.com/sluiceio/sluice/copytree/internal/option"
	"github.com/sluiceio/sluice/copytree/internal/report"
)

func TestOptionsCheck(t *testing.T) {
	for want, o := range map[string]Options{
		"BlockSize of 511":  {BlockSize: 511},
		"BlockSize of -1":   {BlockSize: -1},
		"Concurrency of -1": {Concurrency: -1},
		"Concurrency of 10": {Concurrency: 1025},
		"Make":              {Make: MakeAttributes + 1},
		"Existing":          {Existing: Older + 1},
		"Follow":            {Follow: FollowAll + 1},
		"Reflink":           {Reflink: ReflinkNever + 1},
		"Sparse":            {Sparse: SparseNever + 1},
		"Sync":              {Sync: SyncFiles + 1},
		"Preserve":          {Preserve: PreserveContext << 1},
		"Require":           {Require: PreserveAll | 1<<14},
	} {
		_, err := Copy(t.Context(), "nowhere", "nothing", o)
		if err == nil || !strings.Contains(err.Error(), "Options."+strings.TrimSuffix(want, "10")) {
			t.Errorf("Copy = %v; want something of Options.%s", err, want)
		}
	}
}

// TestSyncFileSystemElsewhere: where there is no syncfs(2) nothing is copied, and nothing is said
// to be on disk.
func TestSyncFileSystemElsewhere(t *testing.T) {
	defer func(has bool) { hasFileSystems = has }(hasFileSystems)
	hasFileSystems = false
	dir := t.TempDir()
	src, dst := filepath.Join(dir, "src"), filepath.Join(dir, "dst")
	if err := os.WriteFile(src, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Copy(t.Context(), dst, src, Options{Sync: SyncFileSystem}); !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), "Options.Sync") {
		t.Errorf("Copy = %v; want errors.ErrUnsupported for Options.Sync", err)
	}
	if _, err := os.Lstat(dst); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Lstat of the copy = %v; want os.ErrNotExist", err)
	}
}

// TestNumbers: the constants of the packages below have the numbers of copytree's,
// so that they can be converted.
func TestNumbers(t *testing.T) {
	for name, pair := range map[string][2]int{
		"PreserveMode":    {int(PreserveMode), int(option.PreserveMode)},
		"PreserveOwner":   {int(PreserveOwner), int(option.PreserveOwner)},
		"PreserveTimes":   {int(PreserveTimes), int(option.PreserveTimes)},
		"PreserveLinks":   {int(PreserveLinks), int(option.PreserveLinks)},
		"PreserveXattr":   {int(PreserveXattr), int(option.PreserveXattr)},
		"PreserveContext": {int(PreserveContext), int(option.PreserveContext)},
		"PreserveAll":     {int(PreserveAll), int(option.PreserveAll)},
		"NoMode":          {int(NoMode), int(option.NoMode)},
		"FollowNone":      {int(FollowNone), int(option.FollowNone)},
		"FollowArguments": {int(FollowArguments), int(option.FollowArguments)},
		"FollowAll":       {int(FollowAll), int(option.FollowAll)},
		"MakeCopy":        {int(MakeCopy), int(option.MakeCopy)},
		"MakeHardLink":    {int(MakeHardLink), int(option.MakeHardLink)},
		"MakeSymlink":     {int(MakeSymlink), int(option.MakeSymlink)},
		"MakeAttributes":  {int(MakeAttributes), int(option.MakeAttributes)},
		"Overwrite":       {int(Overwrite), int(option.Overwrite)},
		"Skip":            {int(Skip), int(option.Skip)},
		"SkipFail":        {int(SkipFail), int(option.SkipFail)},
		"Older":           {int(Older), int(option.Older)},
		"ReflinkAuto":     {int(ReflinkAuto), int(content.ReflinkAuto)},
		"ReflinkAlways":   {int(ReflinkAlways), int(content.ReflinkAlways)},
		"ReflinkNever":    {int(ReflinkNever), int(content.ReflinkNever)},
		"SparseAuto":      {int(SparseAuto), int(content.SparseAuto)},
		"SparseAlways":    {int(SparseAlways), int(content.SparseAlways)},
		"SparseNever":     {int(SparseNever), int(content.SparseNever)},
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
			t.Errorf("%s = %d, and %d below", name, pair[0], pair[1])
		}
	}
}
