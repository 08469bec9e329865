package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/tracegrade/tracegrade/internal/store/engine"
)

// engineFlags say which embedded engine a verb means.
type engineFlags struct {
	data, library string
}

func (f *engineFlags) register(cmd *cobra.Command) {
	cmd.PersistentFlags().StringVar(&f.data, "data", "", "data `FOLDER` of the embedded ClickHouse (default $XDG_DATA_HOME/tracegrade)")
	cmd.PersistentFlags().StringVar(&f.library, "lib", "", "path of libchdb.so (default: $TRACEGRADE_LIBCHDB, the cache, the usual places)")
}

// folder is the data folder.
func (f *engineFlags) folder() (string, error) {
	if f.data != "" {
		return f.data, nil
	}
	return engine.DefaultData()
}

// hasData refuses a folder in which no engine has kept anything: a mistyped one
// is not made, and has no answers.
func (f *engineFlags) hasData() error {
	data, err := f.folder()
	if err != nil || engine.HasData(data) {
		return err
	}
	return usagef("no database at %s: want --data with the folder of one, or make it with tracegrade serve, grade --store or db start", data)
}

func (f *engineFlags) options() (engine.Options, error) {
	data, err := f.folder()
	return engine.Options{Data: data, Library: f.library}, err
}

// use attaches to the engine that runs, else to one that is started and goes
// with its last user.
func (f *engineFlags) use(ctx context.Context) (*engine.Engine, error) {
	data, command, err := f.owner("--while-used")
	if err != nil {
		return nil, err
	}
	return engine.Use(ctx, data, command...)
}

// owner is the data folder, and the command that runs an engine on it. The
// library is looked for here where no engine runs, so that the advice of what to
// do without it is not hidden in a log.
func (f *engineFlags) owner(args ...string) (data string, command []string, err error) {
	if data, err = f.folder(); err != nil {
		return "", nil, err
	}
	if data, err = filepath.Abs(data); err != nil {
		return "", nil, fmt.Errorf("data folder: %w", err)
	}
	if !engine.Running(data) {
		if _, err := engine.Find(f.library); err != nil {
			return "", nil, err
		}
	}
	self, err := os.Executable()
	if err != nil {
		return "", nil, err
	}
	command = append([]string{self, "db", "run", "--data", data}, args...)
	if f.library != "" {
		command = append(command, "--lib", f.library)
	}
	return data, command, nil
}

func dbCommand() *cobra.Command {
	var f engineFlags
	cmd := &cobra.Command{
		Use:   "db",
		Short: "Install, start and stop the embedded ClickHouse",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	f.register(cmd)
	cmd.AddCommand(f.installCommand(), f.startCommand(), f.stopCommand(), f.statusCommand(), f.runCommand())
	return cmd
}

func (f *engineFlags) installCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "install",
		Short: "Get the engine's library with npm (180 MB to load, 570 MB on disk), once",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			path, err := engine.Find(f.library)
			if errors.Is(err, engine.ErrNoLibrary) {
				path, err = engine.Install(cmd.Context(), engine.InstallOptions{Progress: cmd.ErrOrStderr()})
			}
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), path)
			return err
		},
	}
}

func (f *engineFlags) startCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "start",
		Short: "Start the engine in the background; it runs until \"db stop\"",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			data, command, err := f.owner()
			if err != nil {
				return err
			}
			if _, err := engine.Detach(cmd.Context(), data, command...); err != nil {
				return err
			}
			return printEngine(cmd.Context(), cmd.OutOrStdout(), data)
		},
	}
}

func (f *engineFlags) stopCommand() *cobra.Command {
	var force bool
	cmd := &cobra.Command{
		Use:   "stop",
		Short: "Stop the engine that \"db start\" started",
		Long: `Stop the engine that "db start" started, and wait until it is gone. One that
does not answer is killed after 15 seconds. --force ends its processes at once,
also those that hang; what was acknowledged as written is not lost.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			data, err := f.folder()
			if err != nil {
				return err
			}
			used := engine.InUse(data)
			stop := engine.Stop
			if force {
				stop = engine.Kill
			}
			if err := stop(cmd.Context(), data); err != nil {
				return err
			}
			note := ""
			if used {
				note = "; other programs use it: a tracegrade serve among them goes on with an engine of its own"
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "stopped the engine of %s%s\n", data, note)
			return err
		},
	}
	cmd.Flags().BoolVar(&force, "force", false, "end its processes at once, also where they hang")
	return cmd
}

func (f *engineFlags) statusCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "Say whether the engine runs, and how to reach it",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			data, err := f.folder()
			if err != nil {
				return err
			}
			return printEngine(cmd.Context(), cmd.OutOrStdout(), data)
		},
	}
}

// runCommand is what "db start" starts: the engine's watcher, in the
// foreground.
func (f *engineFlags) runCommand() *cobra.Command {
	var whileUsed bool
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Run the engine in the foreground until interrupted",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o, err := f.options()
			if err != nil {
				return err
			}
			o.Detached, o.WhileUsed, o.Owner = true, whileUsed, "tracegrade db"
			ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			return engine.Run(ctx, o)
		},
	}
	cmd.Flags().BoolVar(&whileUsed, "while-used", false, "stop when no other command uses the engine any more")
	return cmd
}

// printEngine says what runs on a data folder and how to reach it. Passwords
// are named by their files, never shown. A folder without an engine is status
// 3, so that a script can ask.
func printEngine(ctx context.Context, w io.Writer, data string) error {
	r, err := engine.Status(ctx, data)
	if err != nil {
		return err
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "data\t%s\n", r.Data)
	if !r.Running {
		fmt.Fprintln(t, "engine\tnot running")
		return errors.Join(t.Flush(), status(exitTrouble))
	}
	fmt.Fprintf(t, "engine\tClickHouse %s, process %d of %s\n", r.Version, r.EnginePID, r.Owner)
	fmt.Fprintf(t, "native\t127.0.0.1:%d\n", r.NativePort)
	fmt.Fprintf(t, "http\thttp://127.0.0.1:%d\n", r.HTTPPort)
	fmt.Fprintf(t, "users\t%s\n", "tracegrade (password file: password), tracegrade_read (password.readonly)")
	if r.Restarts > 0 {
		fmt.Fprintf(t, "restarts\t%d\n", r.Restarts)
	}
	if r.Problem != "" {
		fmt.Fprintf(t, "problem\t%s\n", r.Problem)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if r.Problem != "" {
		return status(exitTrouble)
	}
	return nil
}
