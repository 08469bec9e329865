//go:build linux

package main

import (
	"fmt"
	"io"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// takeTerminal makes a pseudo-terminal standard input (descriptor 0) and
// returns its master side. Closing that is the end of the input, on which the
// server stops.
func takeTerminal() (*os.File, error) {
	// Non-blocking, so that Close ends a Read that waits.
	fd, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("open a pseudo-terminal: %w", err)
	}
	master := os.NewFile(uintptr(fd), "/dev/ptmx")
	if err := connectTerminal(fd); err != nil {
		master.Close()
		return nil, fmt.Errorf("open a pseudo-terminal: %w", err)
	}
	// What the server echoes would fill the terminal's buffer and stop it.
	go func() { _, _ = io.Copy(io.Discard, master) }()
	return master, nil
}

// connectTerminal puts the slave side of the terminal on descriptor 0.
func connectTerminal(master int) error {
	if err := unix.IoctlSetPointerInt(master, unix.TIOCSPTLCK, 0); err != nil {
		return err
	}
	n, err := unix.IoctlGetInt(master, unix.TIOCGPTN)
	if err != nil {
		return err
	}
	slave, err := unix.Open("/dev/pts/"+strconv.Itoa(n), unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(slave)
	return unix.Dup3(slave, 0, 0)
}

// keepStdin gives standard input a second descriptor, so that it can be read
// after descriptor 0 is something else.
func keepStdin() (*os.File, error) {
	fd, err := unix.FcntlInt(0, unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil, fmt.Errorf("keep standard input: %w", err)
	}
	return os.NewFile(uintptr(fd), "/dev/stdin"), nil
}
