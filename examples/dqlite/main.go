// A node of a dqlite cluster with the database "notes": docs/PAST_ONE_MACHINE.md says how it is built.
//
//	node FOLDER ADDRESS [OTHER...]    joins the cluster of the nodes OTHER, or begins one, and runs the SQL that comes in lines
//
// A node runs until it is killed. Each line is a statement; rows are printed with their columns side by side.
package main

import (
	"bufio"
	"context"
	"database/sql"
	"fmt"
	"os"
	"strings"

	"github.com/canonical/go-dqlite/app"
)

func main() {
	node, err := app.New(os.Args[1], app.WithAddress(os.Args[2]), app.WithCluster(os.Args[3:]))
	if err == nil {
		err = node.Ready(context.Background())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	db, err := node.Open(context.Background(), "notes")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	db.SetMaxOpenConns(1) // a transaction of several lines belongs to one connection
	fmt.Println("ready")
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		if err := run(db, lines.Text()); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
	select {}
}

func run(db *sql.DB, text string) error {
	if !strings.HasPrefix(strings.ToUpper(text), "SELECT") {
		_, err := db.Exec(text)
		return err
	}
	rows, err := db.Query(text)
	if err != nil {
		return err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	values, places := make([]any, len(columns)), make([]any, len(columns))
	for i := range values {
		places[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(places...); err != nil {
			return err
		}
		fmt.Println(values...)
	}
	return rows.Err()
}
