package main

import (
	"context"
	"database/sql"
	"errors"
	"math/rand/v2"
	"net/url"
	"path/filepath"

	_ "github.com/ncruces/go-sqlite3/driver" // the driver "sqlite3"
	_ "github.com/ncruces/go-sqlite3/embed"
	_ "modernc.org/sqlite" // the driver "sqlite"

	"github.com/sluiceio/sluice/bench/internal/load"
)

func fillModernc(dir string, records int) error { return fillSQLite("sqlite", dir, records) }
func fillNcruces(dir string, records int) error { return fillSQLite("sqlite3", dir, records) }

func openModernc(dir string, s load.Setup) (database, error) {
	return openSQLite("sqlite", dir, s)
}

func openNcruces(dir string, s load.Setup) (database, error) {
	return openSQLite("sqlite3", dir, s)
}

// sqliteName returns the name of the database, with a cache of 1 MiB for each connection and
// without mapped memory.
func sqliteName(dir, more string) string {
	u := url.URL{Scheme: "file", Opaque: filepath.Join(dir, "db")}
	u.RawQuery = "_pragma=cache_size(-1024)&_pragma=mmap_size(0)" + more
	return u.String()
}

func fillSQLite(driver, dir string, records int) error {
	db, err := sql.Open(driver, sqliteName(dir, "&_pragma=journal_mode(off)&_pragma=synchronous(off)"))
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(1)
	if _, err := db.Exec("CREATE TABLE t (id INTEGER PRIMARY KEY, v BLOB)"); err != nil {
		return err
	}
	random := rand.New(rand.NewPCG(1, 2))
	for i := 0; i < records; {
		tx, err := db.Begin()
		if err != nil {
			return err
		}
		for end := min(records, i+10_000); i < end; i++ {
			if _, err := tx.Exec("INSERT INTO t VALUES (?, ?)", i, value(random)); err != nil {
				return err
			}
		}
		if err := tx.Commit(); err != nil {
			return err
		}
	}
	return db.Close()
}

// sqlite is a database of SQLite for reading.
type sqlite struct {
	*sql.DB
	records int
	selects []*sql.Stmt // one for each client, on its own connection
}

func openSQLite(driver, dir string, s load.Setup) (database, error) {
	db, err := sql.Open(driver, sqliteName(dir, "&mode=ro"))
	if err != nil {
		return nil, err
	}
	q := &sqlite{DB: db, records: s.Load.Records}
	for range s.Load.Goroutines {
		conn, err := db.Conn(context.Background())
		if err == nil {
			var one *sql.Stmt
			one, err = conn.PrepareContext(context.Background(), "SELECT v FROM t WHERE id = ?")
			q.selects = append(q.selects, one)
		}
		if err != nil {
			return nil, errors.Join(err, db.Close())
		}
	}
	return q, nil
}

func (s *sqlite) do(client int, random *rand.Rand) error {
	var v []byte
	err := s.selects[client].QueryRow(random.IntN(s.records)).Scan(&v)
	return wantValue(v, err)
}
