// Command tracegrade grades what LLM agents did, from their OpenTelemetry
// spans: a Collector distribution ("serve") and the tools around it, one file
// per verb. The root command and the exit statuses are in root.go.
package main

import "os"

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
