// A node of a dqlite cluster, or the one that drives several of them: see ../dqlite.sh.
//
//	node ROWS KILLS DUMPS    see drive.go; the files of each node's database are left in the folder DUMPS
//	node -at FOLDER ADDRESS [OTHER...]    one node, which answers lines of SQL
package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"time"

	"github.com/canonical/go-dqlite/app"
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
	drive(rows, kills, os.Args[3])
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
