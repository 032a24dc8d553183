package main

import (
	"database/sql"

	"github.com/canonical/go-dqlite/client"
	"github.com/canonical/go-dqlite/driver"
)

// open gives a database of the cluster.
func open(store client.NodeStore) *sql.DB {
	dialer, err := driver.New(store)
	check(err)
	sql.Register("cluster", dialer)
	db, err := sql.Open("cluster", "test")
	check(err)
	db.SetMaxOpenConns(1)
	return db
}
