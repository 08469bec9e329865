//go:build linux

package main

import (
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"github.com/ebitengine/purego"
)

// library is the part of libchdb's C interface that is needed here.
type library struct {
	version        func() string
	signalHandlers func(enabled int32)
	queryCmdline   func(argc int32, argv unsafe.Pointer) unsafe.Pointer
	resultError    func(result unsafe.Pointer) string
	destroyResult  func(result unsafe.Pointer)
}

// openLibrary loads libchdb from path and checks that it is new enough.
func openLibrary(path string) (*library, error) {
	handle, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return nil, fmt.Errorf("load libchdb: %w", err)
	}
	var l library
	if _, err := purego.Dlsym(handle, "chdb_version"); err != nil {
		return nil, refused(path, checkVersion(""))
	}
	for _, f := range []struct {
		name string
		to   any
	}{
		{"chdb_version", &l.version},
		{"chdb_set_signal_handlers_enabled", &l.signalHandlers},
		{"chdb_query_cmdline", &l.queryCmdline},
		{"chdb_result_error", &l.resultError},
		{"chdb_destroy_query_result", &l.destroyResult},
	} {
		symbol, err := purego.Dlsym(handle, f.name)
		if err != nil {
			return nil, fmt.Errorf("libchdb %s: %w", path, err)
		}
		purego.RegisterFunc(f.to, symbol)
	}
	return &l, refused(path, checkVersion(l.version()))
}

// refused says which library is not the right one; nil where it is.
func refused(path string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w (tracegrade db install gets one; TRACEGRADE_LIBCHDB names another)", path, err)
}

// commandLine runs ClickHouse's local mode with the given arguments and
// returns when it ends. An error that keeps it from starting is written to
// standard error by the library itself, and is not in the result.
func (l *library) commandLine(args ...string) error {
	var pin runtime.Pinner
	defer pin.Unpin()
	argv := make([]*byte, len(args)+1) // ends with NULL
	for i, a := range args {
		text := append([]byte(a), 0)
		argv[i] = &text[0]
		pin.Pin(argv[i])
	}
	pin.Pin(&argv[0])
	result := l.queryCmdline(int32(len(args)), unsafe.Pointer(&argv[0]))
	if result == nil {
		return errors.New("libchdb returned nothing")
	}
	defer l.destroyResult(result)
	if text := l.resultError(result); text != "" {
		return fmt.Errorf("libchdb: %s", text)
	}
	return nil
}
