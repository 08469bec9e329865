// Package tracefilereceiver reads recorded traces and logs from files of any
// format that package tracefile knows and sends them down the pipelines of a
// collector, as if they had just arrived.
package tracefilereceiver
