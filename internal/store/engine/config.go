package engine

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"fmt"
	"strings"
	"text/template"
)

// Names of the two users. ClickHouse's own "default", which the engine needs
// to start its listeners, can do nothing else.
const (
	userWrite = "tracegrade"
	userRead  = "tracegrade_read"
)

// settings is what the configuration is made of.
type settings struct {
	Memory                      int64
	ServerLog                   string
	PortsFile                   string
	WritePassword, ReadPassword string
}

var configTemplate = template.Must(template.New("").Funcs(template.FuncMap{
	"xml": func(s string) (string, error) {
		var b bytes.Buffer
		err := xml.EscapeText(&b, []byte(s))
		return b.String(), err
	},
	"sha256": func(s string) string {
		sum := sha256.Sum256([]byte(s))
		return hex.EncodeToString(sum[:])
	},
	"sql": func(s string) string { return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s) + "'" },
}).Parse(`
{{- define "config.xml" -}}
<clickhouse>
  <users_config>users.xml</users_config>
  <logger>
    <level>warning</level>
    <log>{{xml .ServerLog}}</log>
    <size>10M</size>
    <count>2</count>
  </logger>
  <max_server_memory_usage>{{.Memory}}</max_server_memory_usage>
  <!-- The defaults are for machines that do nothing else. System log tables
       (query_log and its like) have no section here, and so do not exist. -->
  <mark_cache_size>134217728</mark_cache_size>
  <background_pool_size>4</background_pool_size>
  <background_schedule_pool_size>8</background_schedule_pool_size>
  <merge_tree>
    <number_of_free_entries_in_pool_to_lower_max_size_of_merge>2</number_of_free_entries_in_pool_to_lower_max_size_of_merge>
    <number_of_free_entries_in_pool_to_execute_mutation>2</number_of_free_entries_in_pool_to_execute_mutation>
    <number_of_free_entries_in_pool_to_execute_optimize_entire_partition>2</number_of_free_entries_in_pool_to_execute_optimize_entire_partition>
  </merge_tree>
</clickhouse>
{{end}}
{{- define "users.xml" -}}
<clickhouse>
  <profiles>
    <default/>
    <read>
      <readonly>2</readonly>
      <cancel_http_readonly_queries_on_client_close>1</cancel_http_readonly_queries_on_client_close>
    </read>
  </profiles>
  <quotas>
    <default/>
    <start>
      <!-- As many as start.sql needs (not every statement counts): afterwards
           nobody can do anything as "default". -->
      <interval><duration>2000000000</duration><queries>2</queries></interval>
    </start>
  </quotas>
  <users>
    <default>
      <password/>
      <networks><ip>127.0.0.1</ip></networks>
      <profile>default</profile>
      <quota>start</quota>
      <grants><query>GRANT SYSTEM LISTEN ON *.*</query></grants>
    </default>
    <tracegrade>
      <password_sha256_hex>{{sha256 .WritePassword}}</password_sha256_hex>
      <networks><ip>127.0.0.1</ip></networks>
      <profile>default</profile>
      <quota>default</quota>
      <grants>
        <query>GRANT SELECT, INSERT, ALTER, CREATE DATABASE, CREATE TABLE, CREATE VIEW, DROP, TRUNCATE, OPTIMIZE, SHOW ON tracegrade*.*</query>
        <query>GRANT SELECT ON system.*</query>
        <query>GRANT TABLE ENGINE ON *</query>
      </grants>
    </tracegrade>
    <tracegrade_read>
      <password_sha256_hex>{{sha256 .ReadPassword}}</password_sha256_hex>
      <networks><ip>127.0.0.1</ip></networks>
      <profile>read</profile>
      <quota>default</quota>
      <grants>
        <query>GRANT SELECT, SHOW ON tracegrade*.*</query>
        <query>GRANT SELECT ON system.*</query>
      </grants>
    </tracegrade_read>
  </users>
</clickhouse>
{{end}}
{{- define "start.sql" -}}
SYSTEM START LISTEN TCP;
SYSTEM START LISTEN HTTP;
SELECT getServerPort('tcp_port'), getServerPort('http_port') INTO OUTFILE {{sql .PortsFile}} TRUNCATE FORMAT TSV;
SELECT * FROM system.one;
{{end}}`))

// writeConfig writes the configuration files into the folder.
func (f folder) writeConfig(s settings) error {
	for _, name := range []string{"config.xml", "users.xml", "start.sql"} {
		var b bytes.Buffer
		if err := configTemplate.ExecuteTemplate(&b, name, s); err != nil {
			return fmt.Errorf("make %s: %w", name, err)
		}
		if err := writeFile(f.path("config", name), b.Bytes()); err != nil {
			return err
		}
	}
	return nil
}
