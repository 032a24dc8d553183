package main

import (
	"database/sql"

	"github.com/canonical/go-dqlite/client"
	"github.com/canonical/go-dqlite/driver"
)

// open gives the database of the cluster, by a driver of that name.
func open(store client.NodeStore, name string) *sql.DB {
	dialer, err := driver.New(store)
	check(err)
	sql.Register(name, dialer)
	db, err := sql.Open(name, "test")
	check(err)
	db.SetMaxOpenConns(1)
	return db
}
