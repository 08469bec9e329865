//go:build linux

// Command tracegrade-engine is the process that the embedded ClickHouse lives
// in. It loads libchdb, starts the server in it with real native and HTTP
// listeners, and lives until its standard input ends or SIGTERM arrives. It
// decides nothing: package internal/store/engine writes its configuration,
// starts it, watches it and stops it.
//
// It is a program of its own because the server ends its process when it stops,
// because a crash of the server must not take the collector with it, and
// because loading a shared library would link the main program dynamically.
//
// Note: the server is given a pseudo-terminal as standard input. Without one,
// libchdb 26.7 installs an error handler that aborts the process when any
// client resets its connection (ClickHouse issue 115666).
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// settings is what the command line says.
type settings struct {
	library string
	config  string // folder with config.xml and start.sql
	data    string
	host    string
	tcp     int
	http    int
	level   string
}

func run(args []string, stdout, stderr io.Writer) int {
	var s settings
	var version, confined bool
	flags := flag.NewFlagSet("tracegrade-engine", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&s.library, "library", "", "path of libchdb")
	flags.StringVar(&s.config, "config", "", "folder with config.xml and start.sql")
	flags.StringVar(&s.data, "data", "", "folder of the data")
	flags.StringVar(&s.host, "host", "127.0.0.1", "address to listen on")
	flags.IntVar(&s.tcp, "tcp", 0, "native port; 0 takes a free one")
	flags.IntVar(&s.http, "http", 0, "HTTP port; 0 takes a free one")
	flags.StringVar(&s.level, "log-level", "warning", "log level of the server")
	flags.BoolVar(&version, "version", false, "print the version of the library and exit")
	flags.BoolVar(&confined, "confined", false, "this process is confined to the files that the server needs: the program says so to itself")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if !version && !confined {
		fmt.Fprintln(stderr, "tracegrade-engine: not confined to its own files:", confine(s))
	}
	lib, err := openLibrary(s.library)
	if err != nil {
		fmt.Fprintln(stderr, "tracegrade-engine:", err)
		return 1
	}
	if version {
		fmt.Fprintln(stdout, lib.version())
		return 0
	}
	if err := serve(lib, s); err != nil {
		fmt.Fprintln(stderr, "tracegrade-engine:", err)
		return 1
	}
	return 0
}

// serve runs the server until stdin ends or a signal asks it to stop.
func serve(lib *library, s settings) error {
	// The handlers of ClickHouse would take the place of those of the Go runtime.
	lib.signalHandlers(0)
	stdin, err := keepStdin()
	if err != nil {
		return err
	}
	terminal, err := takeTerminal()
	if err != nil {
		return err
	}
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM, syscall.SIGINT)
	go func() {
		<-stop
		terminal.Close()
	}()
	go func() {
		// Ends when whoever holds the other end closes it, or dies.
		_, _ = io.Copy(io.Discard, stdin)
		terminal.Close()
	}()
	return lib.commandLine(
		"clickhouse", "-C", filepath.Join(s.config, "config.xml"),
		"--log-level="+s.level, "--path="+s.data,
		"--listen_host="+s.host, "--tcp_port="+strconv.Itoa(s.tcp), "--http_port="+strconv.Itoa(s.http),
		"--interactive", "--history_file=/dev/null", "--disable_suggestion",
		"--queries-file", filepath.Join(s.config, "start.sql"),
	)
}

// oldest is the first version of ClickHouse whose library can listen.
var oldest = [2]int{26, 7}

// checkVersion refuses a library that cannot listen.
func checkVersion(version string) error {
	parts := strings.SplitN(version, ".", 3)
	if len(parts) < 2 {
		return fmt.Errorf("libchdb states no version: want %d.%d or newer", oldest[0], oldest[1])
	}
	major, errMajor := strconv.Atoi(parts[0])
	minor, errMinor := strconv.Atoi(parts[1])
	if errMajor != nil || errMinor != nil || major < oldest[0] || major == oldest[0] && minor < oldest[1] {
		return fmt.Errorf("libchdb is version %s: want %d.%d or newer, which can listen on ports", version, oldest[0], oldest[1])
	}
	return nil
}
