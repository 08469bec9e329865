package main

import (
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/tracegrade/tracegrade/harness"
	"github.com/tracegrade/tracegrade/harness/cases"
	"github.com/tracegrade/tracegrade/harness/retrieve"
	"github.com/tracegrade/tracegrade/harness/server"
	"github.com/tracegrade/tracegrade/harness/suite"
)

func harnessCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "harness",
		Short: "Serve evidence with traps to an agent, as its tools",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(harnessServeCommand(), harnessListCommand(), harnessCheckCommand(), harnessPlayCommand())
	return cmd
}

// caseFlags adds the flags that choose cases.
func caseFlags(cmd *cobra.Command, s *harness.Source) {
	f := cmd.Flags()
	f.StringVar(&s.Dir, "cases", "", "folder of case files; without it the suite is made from its seed")
	f.StringVar(&s.Suite, "suite", "evidence", "suite to make")
	f.Uint64Var(&s.Seed, "seed", 1, "seed of the suite")
	f.StringArrayVar(&s.Only, "case", nil, "id of a case; may repeat; default: all")
}

// proxyFlags adds the flags that name real tools.
func proxyFlags(cmd *cobra.Command, p *harness.Proxies) {
	f := cmd.Flags()
	f.StringArrayVar(&p.Proxy, "proxy", nil, "NAME=URL of a real tool that takes POST, to stand before; may repeat")
	f.StringArrayVar(&p.ProxyMCP, "proxy-mcp", nil, "address of a real MCP server, to stand before; may repeat")
	f.StringVar(&p.Tape, "tape", "", "file of what real tools replied: each reply is recorded; with --replay it alone answers")
	f.BoolVar(&p.Replay, "replay", false, "ask no real tool: the tape alone answers")
}

// embedderFlags choose what ranks by meaning.
type embedderFlags struct{ url, model, gloss string }

func (e *embedderFlags) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&e.url, "embeddings-url", "", "OpenAI-compatible server that embeds, such as http://127.0.0.1:11434/v1; key in OPENAI_API_KEY")
	f.StringVar(&e.model, "embeddings-model", "", "model of the embeddings server")
	f.StringVar(&e.gloss, "gloss", "", "Chinese-English dictionary in the format of CC-CEDICT, by which the built-in model reads Chinese")
}

// open is an embeddings server, or the built-in model, whose vectors are kept in
// the user's cache folder where there is one.
func (e *embedderFlags) open() (retrieve.Embedder, error) {
	if e.url != "" && e.gloss != "" {
		return nil, usagef("--gloss is for the built-in model: want it or --embeddings-url")
	}
	if e.url != "" {
		return &retrieve.Cached{Of: retrieve.OpenAI{BaseURL: e.url, Model: e.model, Key: os.Getenv("OPENAI_API_KEY")}}, nil
	}
	folder := ""
	if cache, err := os.UserCacheDir(); err == nil {
		folder = filepath.Join(cache, "tracegrade", "vectors")
	}
	if e.gloss == "" {
		return suite.Embedder(folder), nil
	}
	f, err := os.Open(e.gloss)
	if err != nil {
		return nil, usagef("--gloss: %w", err)
	}
	defer f.Close()
	g, err := retrieve.ReadGloss(f)
	if err != nil {
		return nil, usagef("--gloss %s: %w", e.gloss, err)
	}
	return retrieve.Glossed{Gloss: g, Of: suite.Embedder(folder)}, nil
}

func harnessServeCommand() *cobra.Command {
	var s harness.Source
	var o harness.ServeOptions
	var stdio bool
	var arm, run string
	var meaning embedderFlags
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Play the tools over HTTP, OpenAPI and MCP",
		Long: `Play the tools of an agent. Every case and run has its own address,
/r/CASE/ARM/RUN, where ARM is trap or clean and RUN any name; under it stand the
task, the tools (POST tools/NAME), openapi.json, mcp and the journal. The task
names addresses under /a/ for the agent, on a port of their own: the same tools,
without the journal; neither case nor arm can be read off them, and that port
knows nothing else.

Beyond loopback a token is needed: TRACEGRADE_TOKEN.`,
		Example: `  tracegrade harness serve
  tracegrade harness serve --stdio --case negation-01-search-p0`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.Token = os.Getenv("TRACEGRADE_TOKEN")
			var err error
			if o.Server.Embedder, err = meaning.open(); err != nil {
				return err
			}
			ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			if err := o.Validate(); err != nil {
				return usage(err)
			}
			if stdio && len(s.Only) != 1 {
				return usagef("--stdio serves one case: name it with --case")
			}
			if o.Server.Cases, err = s.Cases(); err != nil {
				return usage(err)
			}
			if !stdio {
				return harness.Serve(ctx, o, cmd.ErrOrStderr())
			}
			return harness.ServeStdio(ctx, o, s.Only[0], cases.Arm(arm), run, io.NopCloser(cmd.InOrStdin()), writeCloser{cmd.OutOrStdout()})
		},
	}
	caseFlags(cmd, &s)
	f := cmd.Flags()
	f.StringVar(&o.Listen, "listen", "127.0.0.1:8765", "address to listen on, for those who give the exam")
	f.StringVar(&o.Agents, "agents", "", "address to listen on for agents; default: the port after --listen's")
	f.StringVar(&o.Journal, "journal", "", "file that every served call is appended to")
	f.StringVar(&o.Claims, "claims", "", "file that the traps of each run are appended to, for grade --claims")
	f.StringVar(&o.OTLP, "otlp", os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT"), "OTLP/HTTP endpoint that every served call is exported to, as a span in the agent's trace; default: OTEL_EXPORTER_OTLP_ENDPOINT")
	f.BoolVar(&o.Server.HideMetadata, "hide-metadata", false, "leave domain, author, authority and days out of results")
	f.BoolVar(&o.Server.Guardrails, "guardrails", false, "hint at repeated searches, flag secondary sources")
	meaning.register(cmd)
	proxyFlags(cmd, &o.Proxies)
	f.BoolVar(&stdio, "stdio", false, "serve one case over MCP on standard input and output")
	f.StringVar(&arm, "arm", "trap", "with --stdio: trap or clean")
	f.StringVar(&run, "run", "stdio", "with --stdio: name of the run")
	return cmd
}

// writeCloser is a writer that the MCP transport may close.
type writeCloser struct{ io.Writer }

func (writeCloser) Close() error { return nil }

func harnessListCommand() *cobra.Command {
	var s harness.Source
	var which, format string
	cmd := &cobra.Command{
		Use:       "list [kinds | cases]",
		Short:     "List the kinds of traps, or the cases",
		Args:      cobra.MatchAll(cobra.MaximumNArgs(1), cobra.OnlyValidArgs),
		ValidArgs: []string{"kinds", "cases"},
		RunE: func(cmd *cobra.Command, args []string) error {
			if format != "text" && format != "json" {
				return usagef("format %q: want text or json", format)
			}
			if len(args) > 0 {
				which = args[0]
			}
			if which != "cases" {
				return harness.ListKinds(cmd.OutOrStdout(), format)
			}
			list, err := s.Cases()
			if err != nil {
				return usage(err)
			}
			return harness.ListCases(cmd.OutOrStdout(), format, list)
		},
	}
	caseFlags(cmd, &s)
	formatFlag(cmd, &format, "text", "json")
	return cmd
}

func harnessCheckCommand() *cobra.Command {
	var s harness.Source
	var p harness.Proxies
	var meaning embedderFlags
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Prove that the traps of cases are met, and the truth at its price",
		Long: `Prove cases by walking their calls through the tools: without the trap the
evidence chain ends on the true value; with it the chain shows every trap's false
value; the true value is not met before the price is paid, and the last of the
calls of verify meets it.

Exit status: 0 all are proved, 1 one is not, 2 usage, 3 the tools could not be had.`,
		Example: `  tracegrade harness check
  tracegrade harness check --cases my-cases`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := p.Validate(); err != nil {
				return usage(err)
			}
			list, err := s.Cases()
			if err != nil {
				return usage(err)
			}
			var o server.Options
			if o.Embedder, err = meaning.open(); err != nil {
				return err
			}
			failed, err := harness.Check(cmd.Context(), cmd.OutOrStdout(), list, p, o)
			if err != nil {
				return err
			}
			if failed > 0 {
				return status(exitFailed)
			}
			return nil
		},
	}
	caseFlags(cmd, &s)
	proxyFlags(cmd, &p)
	meaning.register(cmd)
	return cmd
}

func harnessPlayCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "play",
		Short: "Play one case with two scripted agents and print both decision paths",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return harness.Play(cmd.Context(), cmd.OutOrStdout())
		},
	}
}
