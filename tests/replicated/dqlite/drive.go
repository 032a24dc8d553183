package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/canonical/go-dqlite/client"
)

// cluster is what drive knows of the nodes.
type cluster struct {
	folder    string
	addresses []string
	nodes     []process
	store     *client.InmemNodeStore
}

// drive starts three nodes as processes and writes rows, with two readers beside. The leader is killed again and again; half-way a
// fourth node joins, and at three quarters it is removed. At the end no acknowledged row is missing, and each node's database is
// left in the folder dumps.
func drive(rows, kills int, dumps string) {
	folder, err := os.MkdirTemp("", "dqlite")
	check(err)
	defer os.RemoveAll(folder)
	all := &cluster{folder: folder, store: client.NewInmemNodeStore()}
	for i := 0; i < 3; i++ {
		all.add()
	}
	db := open(all.store, "cluster")
	execute := func(text string, arguments ...any) {
		until(func(ctx context.Context) error {
			_, err := db.ExecContext(ctx, text, arguments...)
			return err
		})
	}
	execute("CREATE TABLE IF NOT EXISTS t(a INTEGER PRIMARY KEY, b)")
	var reads atomic.Int64
	done := make(chan struct{})
	for i := 0; i < 2; i++ {
		go read(open(all.store, "reader"+strconv.Itoa(i)), &reads, done)
	}
	begun := time.Now()
	for i := 1; i <= rows; i++ {
		size := 100
		if i%100 == 0 {
			size = 100_000
		}
		// A row whose acknowledgement was lost may be there already.
		execute("INSERT OR REPLACE INTO t VALUES (?, ?)", i, strings.Repeat("x", size))
		if kills > 0 && i%(rows/kills) == 0 {
			leader := all.leader()
			all.nodes[leader].kill()
			execute("INSERT OR REPLACE INTO t VALUES (0, 'without a leader')")
			all.nodes[leader] = all.start(leader)
		}
		switch i {
		case rows / 2:
			all.add()
		case rows * 3 / 4:
			all.remove(3)
		}
	}
	took := time.Since(begun)
	close(done)
	var count, sum int
	until(func(ctx context.Context) error {
		return db.QueryRowContext(ctx, "SELECT count(*), sum(a) FROM t WHERE a > 0").Scan(&count, &sum)
	})
	if count != rows || sum != rows*(rows+1)/2 {
		panic(fmt.Sprintf("%d rows of %d are there", count, rows))
	}
	// Who follows the leader has everything a moment later.
	time.Sleep(5 * time.Second)
	for i := range all.nodes {
		all.dump(i, dumps)
	}
	for _, node := range all.nodes {
		node.kill()
	}
	fmt.Printf("dqlite: %d rows, %d reads beside, the leader killed %d times, a node added and removed, none missing: %.1f s, %.0f rows/s\n",
		rows, reads.Load(), kills, took.Seconds(), float64(rows)/took.Seconds())
}

// read looks at the rows again and again: they are those up to some number.
func read(db *sql.DB, reads *atomic.Int64, done chan struct{}) {
	for {
		select {
		case <-done:
			return
		default:
		}
		var count, sum int
		until(func(ctx context.Context) error {
			return db.QueryRowContext(ctx, "SELECT count(*), coalesce(sum(a), 0) FROM t WHERE a > 0").Scan(&count, &sum)
		})
		if sum != count*(count+1)/2 {
			panic(fmt.Sprintf("a reader has seen %d rows whose sum is %d", count, sum))
		}
		reads.Add(1)
		time.Sleep(10 * time.Millisecond)
	}
}

func (all *cluster) start(i int) process {
	own := filepath.Join(all.folder, strconv.Itoa(i))
	check(os.MkdirAll(own, 0o755))
	others := []string{}
	if i > 0 {
		others = all.addresses[:1]
	}
	return start(own, all.addresses[i], others)
}

// add starts one more node, which joins the others.
func (all *cluster) add() {
	all.addresses = append(all.addresses, fmt.Sprintf("127.0.0.1:%d", 19001+len(all.addresses)))
	all.nodes = append(all.nodes, all.start(len(all.nodes)))
	all.tell()
}

// remove takes the last node out of the cluster, and ends it.
func (all *cluster) remove(i int) {
	until(func(ctx context.Context) error {
		leader, err := client.FindLeader(ctx, all.store)
		if err != nil {
			return err
		}
		defer leader.Close()
		members, err := leader.Cluster(ctx)
		if err != nil {
			return err
		}
		for _, member := range members {
			if member.Address != all.addresses[i] {
				continue
			}
			if own, err := leader.Leader(ctx); err == nil && own.Address == member.Address {
				// It cannot remove itself.
				return errors.Join(errors.New("the node leads"), leader.Transfer(ctx, members[0].ID))
			}
			return leader.Remove(ctx, member.ID)
		}
		return nil
	})
	all.nodes[i].kill()
	all.nodes, all.addresses = all.nodes[:i], all.addresses[:i]
	all.tell()
}

// tell says to clients where the nodes are.
func (all *cluster) tell() {
	infos := []client.NodeInfo{}
	for i, address := range all.addresses {
		infos = append(infos, client.NodeInfo{ID: uint64(i + 1), Address: address})
	}
	check(all.store.Set(context.Background(), infos))
}

// leader answers which node leads.
func (all *cluster) leader() int {
	found := -1
	until(func(ctx context.Context) error {
		connection, err := client.FindLeader(ctx, all.store)
		if err != nil {
			return err
		}
		defer connection.Close()
		info, err := connection.Leader(ctx)
		if err != nil {
			return err
		}
		for i, address := range all.addresses {
			if address == info.Address {
				found = i
				return nil
			}
		}
		return errors.New("an unknown node leads")
	})
	return found
}

// dump writes the files of a node's database into a folder.
func (all *cluster) dump(i int, folder string) {
	until(func(ctx context.Context) error {
		node, err := client.New(ctx, all.addresses[i])
		if err != nil {
			return err
		}
		defer node.Close()
		files, err := node.Dump(ctx, "test")
		if err != nil {
			return err
		}
		own := filepath.Join(folder, strconv.Itoa(i))
		check(os.MkdirAll(own, 0o755))
		for _, file := range files {
			check(os.WriteFile(filepath.Join(own, file.Name), file.Data, 0o644))
		}
		return nil
	})
}
