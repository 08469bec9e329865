package server

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"time"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// maxSteps bounds the work of a statement, in steps of SQLite's virtual machine.
// They are the same on every machine and under every load; a clock is not, and
// the same call would give another reply.
const maxSteps = 20_000_000

// everySteps is how often the steps are counted.
const everySteps = 1000

// longest is the time after which a statement is ended all the same: steps that
// each work on a long text. What else runs on the machine can matter only to these.
const longest = 30 * time.Second

// budget is what the statement in progress has left: steps, and the time of its
// call. The connection has one statement at a time.
type budget struct {
	left int64
	ctx  context.Context
}

// begin is for a statement of a call.
func (b *budget) begin(ctx context.Context) { b.left, b.ctx = maxSteps, ctx }

// explain says of an ended statement why it was ended.
func (b *budget) explain(err error) error {
	switch {
	case err == nil:
		return nil
	case b.left <= 0:
		return fmt.Errorf("the statement takes more than %d steps of work: ask for less", maxSteps)
	case errors.Is(b.ctx.Err(), context.DeadlineExceeded):
		return fmt.Errorf("the statement takes more than %v: ask for less", longest)
	}
	return err
}

// budgets are the connections' budgets, by the handle that SQLite gives back.
var budgets sync.Map // uintptr -> *budget

// countSteps makes the connection end a statement that has spent its budget. The
// returned function is for when the connection is closed.
//
// Note: the driver has SQLite's progress handler and does not offer it, so the
// handle is read off its connection. The driver sets a handler of its own for each
// call whose context can end: statements must be run without one.
func countSteps(conn *sql.Conn) (*budget, func(), error) {
	b, forget := new(budget), func() {}
	err := conn.Raw(func(c any) error {
		fields := reflect.Indirect(reflect.ValueOf(c))
		if fields.Kind() != reflect.Struct {
			return errors.New("the driver's connection has no handle")
		}
		db, tls := fields.FieldByName("db"), fields.FieldByName("tls")
		if !db.IsValid() || db.Kind() != reflect.Uintptr || !tls.IsValid() || tls.Type() != reflect.TypeFor[*libc.TLS]() {
			return errors.New("the driver's connection has no handle")
		}
		handle := uintptr(db.Uint())
		budgets.Store(handle, b)
		forget = func() { budgets.Delete(handle) }
		progress := spend
		// A function of the driver's C is the address of a word that holds its address.
		address := *(*uintptr)(unsafe.Pointer(&progress))
		sqlite3.Xsqlite3_progress_handler((*libc.TLS)(tls.UnsafePointer()), handle, everySteps, address, handle)
		return nil
	})
	if err != nil {
		return nil, nil, fmt.Errorf("bound the work of statements: %w", err)
	}
	return b, forget, nil
}

// spend is called by SQLite; what is not 0 ends the statement.
func spend(_ *libc.TLS, handle uintptr) int32 {
	v, ok := budgets.Load(handle)
	if !ok {
		return 0
	}
	b := v.(*budget)
	if b.left -= everySteps; b.left <= 0 || b.ctx != nil && b.ctx.Err() != nil {
		return 1
	}
	return 0
}
