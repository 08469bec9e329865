// Package clickhousegradeexporter writes graded spans to tracegrade's tables in
// ClickHouse. It reads only what rides on the spans, so it works behind an OTLP
// hop as well as behind the grade processor.
//
// Batching, queue and retry are exporterhelper's; rows, tables and idempotent
// inserts are package store's. A ClickHouse that is down stops nothing: the
// exporter connects when it has something to write, and catches up.
package clickhousegradeexporter
