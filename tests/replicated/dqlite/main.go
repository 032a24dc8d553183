// A node of a dqlite cluster, or the one that drives three of them: see ../dqlite.sh.
//
//	node ROWS KILLS    starts three nodes as processes, writes ROWS rows while the leader is killed KILLS times, and compares the nodes
//	node -at FOLDER ADDRESS [OTHER...]    one node, which answers lines of SQL
package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/canonical/go-dqlite/app"
	"github.com/canonical/go-dqlite/client"
)

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	if os.Args[1] == "-at" {
		serve(os.Args[2], os.Args[3], os.Args[4:])
		return
	}
	rows, err := strconv.Atoi(os.Args[1])
	check(err)
	kills, err := strconv.Atoi(os.Args[2])
	check(err)
	drive(rows, kills)
}

// serve runs a node until standard input ends.
func serve(folder, address string, others []string) {
	node, err := app.New(folder, app.WithAddress(address), app.WithCluster(others))
	check(err)
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	check(node.Ready(ctx))
	fmt.Println("ready")
	_, _ = io.Copy(io.Discard, os.Stdin)
	_ = node.Close()
}

type process struct {
	command *exec.Cmd
	input   io.WriteCloser
}

func start(folder, address string, others []string) process {
	command := exec.Command(os.Args[0], append([]string{"-at", folder, address}, others...)...)
	command.Stderr = os.Stderr
	input, err := command.StdinPipe()
	check(err)
	output, err := command.StdoutPipe()
	check(err)
	check(command.Start())
	line, err := bufio.NewReader(output).ReadString('\n')
	if err != nil || line != "ready\n" {
		panic(fmt.Sprint("the node did not come up: ", line, err))
	}
	return process{command, input}
}

func (p process) kill() {
	_ = p.command.Process.Kill()
	_ = p.command.Wait()
}

// until tries again while the cluster has no leader.
func until(what func(ctx context.Context) error) {
	var err error
	for end := time.Now().Add(60 * time.Second); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		err = what(ctx)
		cancel()
		if err == nil {
			return
		}
	}
	panic(err)
}

func drive(rows, kills int) {
	folder, err := os.MkdirTemp("", "dqlite")
	check(err)
	defer os.RemoveAll(folder)
	addresses, nodes := []string{"127.0.0.1:19001", "127.0.0.1:19002", "127.0.0.1:19003"}, []process{}
	at := func(i int) process {
		own := filepath.Join(folder, strconv.Itoa(i))
		check(os.MkdirAll(own, 0o755))
		others := []string{}
		if i > 0 {
			others = addresses[:1]
		}
		return start(own, addresses[i], others)
	}
	for i := range addresses {
		nodes = append(nodes, at(i))
	}
	// This process drives them as a client.
	store := client.NewInmemNodeStore()
	infos := []client.NodeInfo{}
	for i, address := range addresses {
		infos = append(infos, client.NodeInfo{ID: uint64(i + 1), Address: address})
	}
	check(store.Set(context.Background(), infos))
	db := open(store)
	execute := func(text string, arguments ...any) {
		until(func(ctx context.Context) error {
			_, err := db.ExecContext(ctx, text, arguments...)
			return err
		})
	}
	execute("CREATE TABLE IF NOT EXISTS t(a INTEGER PRIMARY KEY, b)")
	begun := time.Now()
	for i := 1; i <= rows; i++ {
		size := 100
		if i%100 == 0 {
			size = 100_000
		}
		// A row whose acknowledgement was lost may be there already.
		execute("INSERT OR REPLACE INTO t VALUES (?, ?)", i, strings.Repeat("x", size))
		if kills > 0 && i%(rows/kills) == 0 {
			leader := 0
			until(func(ctx context.Context) error {
				connection, err := client.FindLeader(ctx, store)
				if err != nil {
					return err
				}
				defer connection.Close()
				info, err := connection.Leader(ctx)
				if err != nil {
					return err
				}
				for i, address := range addresses {
					if address == info.Address {
						leader = i
					}
				}
				return nil
			})
			nodes[leader].kill()
			execute("INSERT OR REPLACE INTO t VALUES (0, 'without a leader')")
			nodes[leader] = at(leader)
		}
	}
	took := time.Since(begun)
	var count, sum int
	until(func(ctx context.Context) error {
		return db.QueryRowContext(ctx, "SELECT count(*), sum(a) FROM t WHERE a > 0").Scan(&count, &sum)
	})
	if count != rows || sum != rows*(rows+1)/2 {
		panic(fmt.Sprintf("%d rows of %d are there", count, rows))
	}
	for _, node := range nodes {
		node.kill()
	}
	fmt.Printf("dqlite: %d rows, the leader killed %d times, none missing: %.1f s, %.0f rows/s\n", rows, kills, took.Seconds(), float64(rows)/took.Seconds())
}
