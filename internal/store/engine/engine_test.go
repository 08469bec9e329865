package engine_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/tracegrade/tracegrade/internal/store/engine"
	"github.com/tracegrade/tracegrade/internal/store/storetest"
)

// ownerVariable makes the test program a detached owner of the folder that it
// names.
const ownerVariable = "TRACEGRADE_ENGINE_TEST_OWNER"

const whileUsedVariable = "TRACEGRADE_ENGINE_TEST_WHILE_USED"

func TestMain(m *testing.M) {
	if data := os.Getenv(useVariable); data != "" {
		os.Exit(runUser(data))
	}
	if data := os.Getenv(ownerVariable); data != "" {
		os.Exit(runOwner(data))
	}
	os.Exit(storetest.Main(m).Run())
}

// useVariable makes the test program one user of an engine, as [engine.Use] has
// it, that asks it and leaves.
const useVariable = "TRACEGRADE_ENGINE_TEST_USE"

func runUser(data string) int {
	exe, err := os.Executable()
	if err == nil {
		os.Unsetenv(useVariable)
		os.Setenv(ownerVariable, data)
		err = useOnce(data, exe)
	}
	if err != nil {
		os.Stderr.WriteString(err.Error() + "\n")
		return 1
	}
	return 0
}

func useOnce(data, exe string) error {
	e, err := engine.Use(context.Background(), data, exe)
	if err != nil {
		return err
	}
	for range 5 { // while others come and go
		r, err := http.Get("http://127.0.0.1:" + strconv.Itoa(e.HTTPPort) + "/ping")
		if err != nil {
			return err
		}
		r.Body.Close()
		time.Sleep(50 * time.Millisecond)
	}
	_, err = os.Stdout.WriteString(strconv.Itoa(e.EnginePID))
	return errors.Join(err, e.Close())
}

func runOwner(data string) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	if err := engine.Run(ctx, engine.Options{Data: data, Owner: "tracegrade db start", Detached: true, WhileUsed: os.Getenv(whileUsedVariable) != "", Memory: 1 << 30}); err != nil {
		os.Stderr.WriteString(err.Error() + "\n")
		return 1
	}
	return 0
}

// options are those of an engine in a folder of the test's own.
func options(t *testing.T) engine.Options {
	t.Helper()
	return engine.Options{
		Data: filepath.Join(t.TempDir(), "da'ta & <more>"), Library: storetest.Library(t), Helper: storetest.Helper(t),
		Owner: "a test", Memory: 1 << 30,
	}
}

func start(t *testing.T, o engine.Options) *engine.Engine {
	t.Helper()
	e, err := engine.Start(timeout(t), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

func timeout(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// query sends SQL as the user of the DSN over HTTP.
func query(t *testing.T, e *engine.Engine, dsn, sql string) (string, error) {
	t.Helper()
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	password, _ := u.User.Password()
	return queryAs(t, e, u.User.Username(), password, sql)
}

func queryAs(t *testing.T, e *engine.Engine, user, password, sql string) (string, error) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://127.0.0.1:"+strconv.Itoa(e.HTTPPort), strings.NewReader(sql))
	if err != nil {
		t.Fatal(err)
	}
	r.SetBasicAuth(user, password)
	r.Close = true
	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		return "", err
	}
	defer reply.Body.Close()
	body, err := io.ReadAll(reply.Body)
	if err == nil && reply.StatusCode != http.StatusOK {
		err = errors.New(string(body))
	}
	return strings.TrimSpace(string(body)), err
}

func must(t *testing.T, e *engine.Engine, sql string) string {
	t.Helper()
	got, err := query(t, e, e.DSN(), sql)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return got
}

// runs reports whether a process is there, and not as a zombie that nobody has
// waited for.
func runs(pid int) bool {
	b, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	return err == nil && !strings.Contains(string(b), ") Z ")
}

// until repeats do until it is content.
func until(t *testing.T, what string, do func() bool) {
	t.Helper()
	deadline := time.Now().Add(time.Minute)
	for !do() {
		if time.Now().After(deadline) {
			t.Fatalf("waited a minute for %s", what)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func TestDataAndPortsOutliveTheEngine(t *testing.T) {
	o := options(t)
	e := start(t, o)
	must(t, e, "CREATE DATABASE tracegrade")
	must(t, e, "CREATE TABLE tracegrade.t (x UInt8) ENGINE = MergeTree ORDER BY x")
	must(t, e, "INSERT INTO tracegrade.t VALUES (7)")
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	again := start(t, o)
	if got := must(t, again, "SELECT x FROM tracegrade.t"); got != "7" {
		t.Errorf("got %q, want 7", got)
	}
	if again.NativePort != e.NativePort || again.HTTPPort != e.HTTPPort {
		t.Errorf("ports %d, %d became %d, %d", e.NativePort, e.HTTPPort, again.NativePort, again.HTTPPort)
	}
}

func TestUsersAreConfined(t *testing.T) {
	e := start(t, options(t))
	must(t, e, "CREATE DATABASE tracegrade")
	must(t, e, "CREATE TABLE tracegrade.t (x UInt8) ENGINE = MergeTree ORDER BY x")
	tests := []struct{ name, dsn, sql, want string }{
		{"files", e.DSN(), "SELECT * FROM file('/etc/hostname', 'LineAsString')", "ACCESS_DENIED"},
		{"addresses", e.DSN(), "SELECT * FROM url('http://127.0.0.1/', 'LineAsString')", "ACCESS_DENIED"},
		{"files as tables", e.DSN(), "SELECT * FROM `default`.`/etc/hostname`", "ACCESS_DENIED"},
		{"other databases", e.DSN(), "CREATE DATABASE other", "ACCESS_DENIED"},
		{"reader inserts", e.ReadOnlyDSN(), "INSERT INTO tracegrade.t VALUES (1)", "ACCESS_DENIED"},
		{"reader drops", e.ReadOnlyDSN(), "DROP TABLE tracegrade.t", "ACCESS_DENIED"},
		{"reader sets readonly", e.ReadOnlyDSN(), "SELECT 1 SETTINGS readonly = 0", "READONLY"},
		{"reader reads files", e.ReadOnlyDSN(), "SELECT * FROM file('/etc/hostname', 'LineAsString')", "ACCESS_DENIED"},
		{"nobody", "clickhouse://default@127.0.0.1", "SYSTEM STOP LISTEN TCP", "QUOTA_EXCEEDED"},
		{"wrong password", "clickhouse://tracegrade:wrong@127.0.0.1", "SELECT 1", "AUTHENTICATION_FAILED"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := query(t, e, tt.dsn, tt.sql)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s: got %q, %v, want %s", tt.sql, got, err, tt.want)
			}
		})
	}
	if got, err := query(t, e, e.ReadOnlyDSN(), "SELECT count() FROM tracegrade.t"); err != nil || got != "0" {
		t.Errorf("the reader reads %q, %v", got, err)
	}
	if got := must(t, e, "SELECT name FROM system.tables WHERE database = 'system' AND name LIKE '%\\_log'"); got != "" {
		t.Errorf("system logs grow without limit: %s", got)
	}
}

// What SQL can reach of the machine: neither user reads files, the passwords in
// the engine's own folder least of all, nor writes any, nor begins programs or
// connections, and the reader writes no rows.
func TestHostileStatements(t *testing.T) {
	o := options(t)
	e := start(t, o)
	must(t, e, "CREATE DATABASE tracegrade")
	must(t, e, "CREATE TABLE tracegrade.t (x UInt8) ENGINE = MergeTree ORDER BY x")
	out := filepath.Join(t.TempDir(), "out.tsv")
	both := []struct{ sql, want string }{
		{"SELECT * FROM executable('/usr/bin/id', 'TSV', 'a String')", "Exception"},
		{"SELECT * FROM remote('127.0.0.1:9000', system.one)", "ACCESS_DENIED"},
		{"SELECT * FROM mysql('127.0.0.1:1', 'a', 'b', 'c', 'd')", "ACCESS_DENIED"},
		{"SELECT * FROM sqlite('/etc/hostname', 't')", "ACCESS_DENIED"},
		{"SELECT * FROM filesystem('/etc')", "ACCESS_DENIED"},
		{"SELECT * FROM deltaLakeLocal('/etc')", "ACCESS_DENIED"},
		{"SELECT * FROM loop(file('/etc/hostname', 'LineAsString'))", "ACCESS_DENIED"},
		{"SELECT * FROM view(SELECT * FROM file('/etc/hostname', 'LineAsString'))", "ACCESS_DENIED"},
		{"INSERT INTO FUNCTION file('" + out + "', 'TSV', 'a String') VALUES ('x')", "ACCESS_DENIED"},
		{"SELECT 1; DROP TABLE tracegrade.t", "Multi-statements are not allowed"},
		{"CREATE FUNCTION f AS (x) -> x", "ACCESS_DENIED"},
		{"CREATE USER x", "ACCESS_DENIED"},
		{"SYSTEM SHUTDOWN", "ACCESS_DENIED"},
		{"KILL QUERY WHERE user != currentUser()", ""},
	}
	if log, err := os.ReadFile(filepath.Join(o.Data, "engine.log")); err != nil || strings.Contains(string(log), "not confined") {
		t.Logf("this kernel confines nothing: %v", err)
	} else {
		for _, path := range []string{"/etc/hostname", filepath.Join(o.Data, "password"), filepath.Join(o.Data, "state.json"), "/proc/1/environ"} {
			both = append(both, struct{ sql, want string }{"SELECT file('" + strings.ReplaceAll(path, "'", `\'`) + "')", "Permission denied"})
		}
	}
	reader := []struct{ sql, want string }{
		{"SELECT 1 SETTINGS readonly = 0", "READONLY"},
		{"SET readonly = 0", "READONLY"},
		{"SELECT * FROM executable('id', 'TSV', 'a String')", "ACCESS_DENIED"},
		{"WITH 1 AS x INSERT INTO tracegrade.t SELECT x", "ACCESS_DENIED"},
		{"CREATE TEMPORARY TABLE a (x UInt8)", ""},
		{"CREATE VIEW tracegrade.v AS SELECT 1", "ACCESS_DENIED"},
		{"ALTER TABLE tracegrade.t DELETE WHERE 1", "ACCESS_DENIED"},
		{"OPTIMIZE TABLE tracegrade.t FINAL", "ACCESS_DENIED"},
		{"TRUNCATE TABLE tracegrade.t", "ACCESS_DENIED"},
		{"SHOW CREATE USER tracegrade", "ACCESS_DENIED"},
	}
	refused := func(dsn, sql, want string) {
		t.Helper()
		got, err := query(t, e, dsn, sql)
		if want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: got %q, %v, want %s", sql, got, err, want)
		}
	}
	for _, tt := range both {
		refused(e.DSN(), tt.sql, tt.want)
		refused(e.ReadOnlyDSN(), tt.sql, tt.want)
	}
	for _, tt := range reader {
		refused(e.ReadOnlyDSN(), tt.sql, tt.want)
	}
	refused(e.ReadOnlyDSN(), "SELECT 1 INTO OUTFILE '"+out+"'", "")
	if _, err := os.Stat(out); err == nil {
		t.Error("a statement wrote a file")
	}
	if got := must(t, e, "SELECT count() FROM tracegrade.t"); got != "0" {
		t.Errorf("%s rows, want none", got)
	}
}

func TestStartersRace(t *testing.T) {
	o := options(t)
	ctx := timeout(t)
	engines := make([]*engine.Engine, 4)
	var wg sync.WaitGroup
	for i := range engines {
		wg.Go(func() {
			e, err := engine.Start(ctx, o)
			if err != nil {
				t.Error(err)
				return
			}
			engines[i] = e
		})
	}
	wg.Wait()
	if t.Failed() {
		return
	}
	owned := 0
	for _, e := range engines {
		t.Cleanup(func() { e.Close() })
		if e.Owned() {
			owned++
		}
		if e.EnginePID != engines[0].EnginePID {
			t.Errorf("two engines: %d and %d", e.EnginePID, engines[0].EnginePID)
		}
	}
	if owned != 1 {
		t.Errorf("%d owners, want 1", owned)
	}
}

func TestCrashedEngineComesBack(t *testing.T) {
	o := options(t)
	e := start(t, o)
	must(t, e, "CREATE DATABASE tracegrade")
	if err := syscall.Kill(e.EnginePID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	until(t, "the engine to come back", func() bool {
		got, err := query(t, e, e.DSN(), "EXISTS DATABASE tracegrade")
		return err == nil && got == "1"
	})
	until(t, "the state to say so", func() bool {
		s, err := engine.Status(t.Context(), o.Data)
		return err == nil && s.Restarts == 1 && s.Ready && s.EnginePID != e.EnginePID && s.NativePort == e.NativePort
	})
}

func TestEngineThatKeepsCrashingIsGivenUp(t *testing.T) {
	o := options(t)
	e := start(t, o)
	last := 0
	until(t, "the engine to be given up", func() bool {
		select {
		case <-e.Done():
			return true
		default:
		}
		if s, err := engine.Status(t.Context(), o.Data); err == nil && s.Ready && s.EnginePID != last {
			last = s.EnginePID
			_ = syscall.Kill(last, syscall.SIGKILL)
		}
		return false
	})
	if err := e.Err(); err == nil || !strings.Contains(err.Error(), "ended 5 times within 1m0s") {
		t.Errorf("got %v", err)
	}
	start(t, o) // the folder is free again
}

func detach(t *testing.T, o engine.Options) *engine.Engine {
	t.Helper()
	t.Setenv(ownerVariable, o.Data)
	t.Setenv("TRACEGRADE_ENGINE", o.Helper)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	e, err := engine.Detach(timeout(t), o.Data, exe)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestDetachedEngine(t *testing.T) {
	o := options(t)
	if err := engine.Stop(t.Context(), o.Data); !errors.Is(err, engine.ErrNotRunning) {
		t.Errorf("stop without an engine: %v", err)
	}
	e := detach(t, o)
	if e.Owned() || !e.Detached || e.PID == os.Getpid() {
		t.Errorf("got %+v", e.State)
	}
	if again := detach(t, o); again.PID != e.PID {
		t.Errorf("a second start made another engine")
	}
	if err := engine.Run(timeout(t), o); !errors.Is(err, engine.ErrRunning) {
		t.Errorf("run beside it: %v", err)
	}
	s, err := engine.Status(t.Context(), o.Data)
	if err != nil || !s.Running || !strings.HasPrefix(s.Version, "2") || s.Problem != "" {
		t.Errorf("status %+v, %v", s, err)
	}
	if err := engine.Stop(timeout(t), o.Data); err != nil {
		t.Fatal(err)
	}
	s, err = engine.Status(t.Context(), o.Data)
	if err != nil || s.Running {
		t.Errorf("status after stop %+v, %v", s, err)
	}
	if runs(e.EnginePID) {
		t.Error("the engine's process is still there")
	}
}

// Who goes on when the owner of its engine has gone has one of its own at the same
// address.
func TestSucceed(t *testing.T) {
	o := options(t)
	detach(t, o)
	e := start(t, o)
	must(t, e, "CREATE DATABASE tracegrade")
	must(t, e, "CREATE TABLE tracegrade.kept ENGINE = MergeTree ORDER BY x AS SELECT 7 AS x")
	last := make(chan *engine.Engine, 1)
	go func() { last <- e.Succeed(timeout(t), o) }()
	if !engine.InUse(o.Data) {
		t.Error("the engine is not said to be in use")
	}
	if err := engine.Stop(timeout(t), o.Data); err != nil {
		t.Fatal(err)
	}
	next := <-last
	t.Cleanup(func() { next.Close() })
	if !next.Owned() || next.DSN() != e.DSN() {
		t.Errorf("owned %v, DSN %s, want this process's own at %s", next.Owned(), next.DSN(), e.DSN())
	}
	if got := must(t, next, "SELECT x FROM tracegrade.kept"); got != "7" {
		t.Errorf("got %q", got)
	}
	if engine.InUse(o.Data) {
		t.Error("an engine that only its owner uses is said to be in use")
	}

	// Who is told to end before that has the engine that it had.
	other := start(t, o) // this process's lock is held: attached
	if other.Owned() {
		t.Fatal("two engines on one folder")
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if got := other.Succeed(ended, o); got != other {
		t.Error("another engine than before")
	}
}

// Processes that come and go share one engine, whoever came first; the last
// leaves nothing behind.
func TestUsersShareTheEngine(t *testing.T) {
	o := options(t)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i := range 6 {
		wg.Go(func() {
			time.Sleep(time.Duration(i) * 150 * time.Millisecond) // so that the first leaves before the last comes
			c := exec.CommandContext(timeout(t), exe)
			c.Env = append(os.Environ(), useVariable+"="+o.Data, whileUsedVariable+"=1", "TRACEGRADE_ENGINE="+o.Helper)
			if out, err := c.CombinedOutput(); err != nil {
				t.Errorf("user %d: %v: %s", i, err, out)
			}
		})
	}
	wg.Wait()
	s, err := engine.Status(t.Context(), o.Data)
	if err != nil || s.Running || runs(s.EnginePID) {
		t.Errorf("after the last user: %+v, %v", s, err)
	}
}

// An engine stays for a user that it was not started for, and one that is
// started to stay does not count as one for its users.
func TestEngineStaysWhileUsed(t *testing.T) {
	o := options(t)
	t.Setenv(ownerVariable, o.Data)
	t.Setenv("TRACEGRADE_ENGINE", o.Helper)
	t.Setenv(whileUsedVariable, "1")
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	first, err := engine.Use(timeout(t), o.Data, exe)
	if err != nil {
		t.Fatal(err)
	}
	attached := start(t, o) // as serve does
	if attached.Owned() || attached.EnginePID != first.EnginePID {
		t.Errorf("got %+v beside %+v", attached.State, first.State)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	must(t, attached, "SELECT 1")
	if err := attached.Close(); err != nil {
		t.Fatal(err)
	}
	if runs(first.EnginePID) {
		t.Error("the engine runs on without users")
	}
	t.Setenv(whileUsedVariable, "")
	stays := detach(t, o)
	user, err := engine.Use(timeout(t), o.Data, exe)
	if err != nil {
		t.Fatal(err)
	}
	if err := user.Close(); err != nil {
		t.Fatal(err)
	}
	must(t, stays, "SELECT 1")
	if err := engine.Stop(timeout(t), o.Data); err != nil {
		t.Fatal(err)
	}
}

func TestDetachersRace(t *testing.T) {
	o := options(t)
	t.Setenv(ownerVariable, o.Data)
	t.Setenv("TRACEGRADE_ENGINE", o.Helper)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx := timeout(t)
	pids := make([]int, 3)
	var wg sync.WaitGroup
	for i := range pids {
		wg.Go(func() {
			e, err := engine.Detach(ctx, o.Data, exe)
			if err != nil {
				t.Error(err)
				return
			}
			pids[i] = e.EnginePID
		})
	}
	wg.Wait()
	if pids[0] != pids[1] || pids[0] != pids[2] {
		t.Errorf("several engines: %v", pids)
	}
	if err := engine.Stop(ctx, o.Data); err != nil {
		t.Error(err)
	}
}

// Without a terminal as its standard input the server aborts when a client
// resets its connection: this is what the helper's terminal is for.
func TestResetConnectionsDoNoHarm(t *testing.T) {
	o := options(t)
	e := start(t, o)
	for _, port := range []int{e.NativePort, e.HTTPPort} {
		for range 1000 {
			c, err := net.Dial("tcp", "127.0.0.1:"+strconv.Itoa(port))
			if err != nil {
				t.Fatal(err)
			}
			// Discarding what is unsent makes Close a reset.
			if err := c.(*net.TCPConn).SetLinger(0); err != nil {
				t.Fatal(err)
			}
			c.Close()
		}
	}
	if got := must(t, e, "SELECT 1"); got != "1" {
		t.Errorf("got %q", got)
	}
	if s, err := engine.Status(t.Context(), o.Data); err != nil || s.Restarts != 0 {
		t.Errorf("the engine was started again: %+v, %v", s, err)
	}
}

func TestStopLeavesAnothersEngine(t *testing.T) {
	o := options(t)
	start(t, o)
	err := engine.Stop(t.Context(), o.Data)
	if want := "the engine belongs to a test (process " + strconv.Itoa(os.Getpid()) + ") and stops with it"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// What does not answer is ended all the same: the engine, its owner, both, and an
// engine whose owner was killed. The data stays.
func TestKillOfWhatHangs(t *testing.T) {
	o := options(t)
	if err := engine.Kill(t.Context(), o.Data); !errors.Is(err, engine.ErrNotRunning) {
		t.Errorf("kill without an engine: %v", err)
	}
	if engine.HasData(o.Data) {
		t.Error("data is there before the first engine")
	}
	for _, tt := range []struct {
		name string
		hang func(e *engine.Engine) error
		gone error // what Kill says where the engine has gone by itself meanwhile
	}{
		{"the engine", func(e *engine.Engine) error { return syscall.Kill(e.EnginePID, syscall.SIGSTOP) }, nil},
		{"both", func(e *engine.Engine) error {
			return errors.Join(syscall.Kill(e.PID, syscall.SIGSTOP), syscall.Kill(e.EnginePID, syscall.SIGSTOP))
		}, nil},
		// The kernel hangs up stopped processes of a group that has lost its parent.
		{"an engine without an owner", func(e *engine.Engine) error {
			return errors.Join(syscall.Kill(e.EnginePID, syscall.SIGSTOP), syscall.Kill(e.PID, syscall.SIGKILL))
		}, engine.ErrNotRunning},
	} {
		e := detach(t, o)
		must(t, e, "CREATE DATABASE IF NOT EXISTS tracegrade")
		if err := tt.hang(e); err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		if err := engine.Kill(timeout(t), o.Data); err != nil && (tt.gone == nil || !errors.Is(err, tt.gone)) {
			t.Fatalf("%s: %v", tt.name, err)
		}
		if engine.Running(o.Data) || !engine.HasData(o.Data) {
			t.Errorf("%s: running %v, has data %v", tt.name, engine.Running(o.Data), engine.HasData(o.Data))
		}
	}
	if got := must(t, start(t, o), "EXISTS DATABASE tracegrade"); got != "1" {
		t.Error("data lost")
	}
}

// Asking about a folder leaves nothing in it.
func TestAskingMakesNoFolder(t *testing.T) {
	data := filepath.Join(t.TempDir(), "typo")
	if r, err := engine.Status(t.Context(), data); err != nil || r.Running {
		t.Errorf("status %+v, %v", r, err)
	}
	if err := engine.Stop(t.Context(), data); !errors.Is(err, engine.ErrNotRunning) {
		t.Errorf("stop: %v", err)
	}
	if engine.Running(data) || engine.InUse(data) || engine.HasData(data) {
		t.Error("something is there")
	}
	if _, err := os.Stat(data); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder was made: %v", err)
	}
}

// The engine of an owner that was killed goes by itself; whoever starts next
// waits for it, and never runs a second one beside it.
func TestOwnerIsKilled(t *testing.T) {
	o := options(t)
	e := detach(t, o)
	must(t, e, "CREATE DATABASE tracegrade")
	if err := syscall.Kill(e.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	until(t, "the owner to be gone", func() bool {
		s, err := engine.Status(t.Context(), o.Data)
		return err == nil && !s.Running
	})
	next := start(t, o)
	if !next.Owned() {
		t.Fatal("attached to an engine that nobody owns")
	}
	if runs(e.EnginePID) {
		t.Error("the old engine was still there")
	}
	if got := must(t, next, "EXISTS DATABASE tracegrade"); got != "1" {
		t.Error("data lost")
	}
}

func TestPorts(t *testing.T) {
	first := start(t, options(t))
	o := options(t)
	o.NativePort = first.NativePort
	o.HTTPPort = first.HTTPPort
	_, err := engine.Start(timeout(t), o)
	if err == nil || !strings.Contains(err.Error(), "Address already in use") {
		t.Errorf("asked for a taken port: %v", err)
	}
	// A remembered port that is taken is given up for a free one.
	state := `{"native_port": ` + strconv.Itoa(first.NativePort) + `, "http_port": ` + strconv.Itoa(first.HTTPPort) + `}`
	if err := os.WriteFile(filepath.Join(o.Data, "state.json"), []byte(state), 0o600); err != nil {
		t.Fatal(err)
	}
	o.NativePort, o.HTTPPort = 0, 0
	if e := start(t, o); e.NativePort == first.NativePort || e.HTTPPort == first.HTTPPort {
		t.Errorf("two engines on one port")
	}
}

// A state that was cut is that of no engine, and hinders none.
func TestDamagedState(t *testing.T) {
	o := options(t)
	state := filepath.Join(o.Data, "state.json")
	if err := os.MkdirAll(o.Data, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(state, []byte(`{"pid":`), 0o600); err != nil {
		t.Fatal(err)
	}
	if r, err := engine.Status(t.Context(), o.Data); err != nil || r.Running || r.Problem != "" {
		t.Errorf("before the start: %+v, error %v", r, err)
	}
	start(t, o)
	if r, err := engine.Status(t.Context(), o.Data); err != nil || !r.Running || r.Problem != "" {
		t.Errorf("started: %+v, error %v", r, err)
	}
	if err := os.WriteFile(state, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if r, err := engine.Status(t.Context(), o.Data); err != nil || !r.Running || !strings.Contains(r.Problem, "state.json is damaged") {
		t.Errorf("damaged while it runs: %+v, error %v", r, err)
	}
}

func TestStartFailures(t *testing.T) {
	o := options(t)
	noHelper := o
	noHelper.Helper = filepath.Join(t.TempDir(), "nothing")
	badLibrary := o
	badLibrary.Library = filepath.Join(t.TempDir(), "libchdb.so")
	if err := os.WriteFile(badLibrary.Library, []byte("not a library"), 0o600); err != nil {
		t.Fatal(err)
	}
	noLibrary := o
	noLibrary.Library = "/nowhere/libchdb.so"
	tests := []struct {
		name string
		o    engine.Options
		want string
	}{
		{"no helper", noHelper, "no such file"},
		{"library is no library", badLibrary, "the embedded ClickHouse did not start: tracegrade-engine: load libchdb: " + badLibrary.Library},
		{"library is not there", noLibrary, "libchdb by the given path: stat /nowhere/libchdb.so: no such file or directory"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := engine.Start(timeout(t), tt.o)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
	start(t, o) // a start that failed holds no lock
}

func TestStartGivesUpWithItsContext(t *testing.T) {
	o := options(t)
	o.Helper = filepath.Join(t.TempDir(), "sleeper")
	if err := os.WriteFile(o.Helper, []byte("#!/bin/sh\ncat >/dev/null\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := engine.Start(ctx, o); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

func TestFilesAreTheUsersOwn(t *testing.T) {
	o := options(t)
	start(t, o)
	for _, name := range []string{"password", "password.readonly", "state.json", "config/users.xml", "engine.log"} {
		info, err := os.Stat(filepath.Join(o.Data, name))
		if err != nil {
			t.Error(err)
		} else if info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v, want 0600", name, info.Mode())
		}
	}
}
