package main

import (
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
	"github.com/go-git/go-git/v5/storage/filesystem"
	"github.com/go-git/go-git/v5/storage/memory"

	"github.com/sluiceio/sluice/bench/internal/load"
)

// blobSize is the size of a file in the repository.
const blobSize = 16 * valueSize

// blob returns the content of a file.
func blob(i int) []byte {
	random := rand.New(rand.NewPCG(3, uint64(i)))
	b := make([]byte, 0, blobSize+7)
	for len(b) < blobSize {
		b = binary.LittleEndian.AppendUint64(b, random.Uint64())
	}
	return b[:blobSize]
}

// hashesName is the file with the hashes of the objects.
const hashesName = "hashes"

// fillGit makes a repository with one pack.
func fillGit(dir string, records int) error {
	objects := memory.NewStorage()
	var hashes []plumbing.Hash
	var list []byte
	for i := range max(1, records*valueSize/blobSize) {
		o := objects.NewEncodedObject()
		o.SetType(plumbing.BlobObject)
		w, err := o.Writer()
		if err == nil {
			_, err = w.Write(blob(i))
		}
		if err != nil {
			return err
		}
		h, err := objects.SetEncodedObject(o)
		if err != nil {
			return err
		}
		hashes, list = append(hashes, h), append(list, h[:]...)
	}
	repository := filesystem.NewStorage(osfs.New(filepath.Join(dir, "git")), cache.NewObjectLRU(0))
	w, err := repository.PackfileWriter()
	if err != nil {
		return err
	}
	if _, err := packfile.NewEncoder(w, objects, false).Encode(hashes, 0); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, hashesName), list, 0o666)
}

// packs are open repositories, one for each client, as a server opens one for each request.
type packs struct {
	storages []*filesystem.Storage
	hashes   []byte
	objects  int // that are read
}

func openGit(dir string, s load.Setup) (database, error) {
	p := &packs{objects: max(1, s.Load.Records*valueSize/blobSize)}
	var err error
	if p.hashes, err = os.ReadFile(filepath.Join(dir, hashesName)); err != nil {
		return nil, err
	}
	for i := range s.Load.Goroutines {
		p.storages = append(p.storages, filesystem.NewStorageWithOptions(osfs.New(filepath.Join(dir, "git")),
			cache.NewObjectLRU(0), filesystem.Options{KeepDescriptors: true, ExclusiveAccess: true}))
		if err := p.read(i, 0); err != nil { // it loads the index, which is not measured
			return nil, err
		}
	}
	return p, nil
}

func (p *packs) do(client int, random *rand.Rand) error {
	return p.read(client, random.IntN(p.objects))
}

// read reads object i.
func (p *packs) read(client, i int) error {
	const size = len(plumbing.Hash{})
	if (i+1)*size > len(p.hashes) {
		return fmt.Errorf("the repository has %d objects; want object %d", len(p.hashes)/size, i)
	}
	o, err := p.storages[client].EncodedObject(plumbing.BlobObject, plumbing.Hash(p.hashes[i*size:][:size]))
	if err != nil {
		return err
	}
	r, err := o.Reader()
	if err != nil {
		return err
	}
	defer r.Close()
	n, err := io.Copy(io.Discard, r)
	if err == nil && n != blobSize {
		err = fmt.Errorf("an object has %d bytes; want %d", n, blobSize)
	}
	return err
}

func (p *packs) Close() (err error) {
	for _, s := range p.storages {
		if err1 := s.Close(); err == nil {
			err = err1
		}
	}
	return err
}
