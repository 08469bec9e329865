package clickhousegradeexporter

import (
	"errors"
	"fmt"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/config/configopaque"
	"go.opentelemetry.io/collector/config/configoptional"
	"go.opentelemetry.io/collector/config/configretry"
	"go.opentelemetry.io/collector/exporter/exporterhelper"

	"github.com/tracegrade/tracegrade/internal/redact"
	"github.com/tracegrade/tracegrade/internal/store"
)

// Config says where the tables are and how they are written.
type Config struct {
	// DSN is the address of the server: clickhouse://user:password@host:9000/database
	// (native protocol) or http://user:password@host:8123/database. Required.
	DSN configopaque.String `mapstructure:"dsn"`
	// Database is where the tables are. Default: that of the DSN, else
	// tracegrade.
	Database string `mapstructure:"database"`
	// TablePrefix is put before the name of every table. Default: none.
	TablePrefix string `mapstructure:"table_prefix"`
	// Cluster makes the tables replicated and sharded over a cluster. Default:
	// none, one server.
	Cluster string `mapstructure:"cluster"`
	// TTL is how long rows are kept after the start of their trace. Default: 0,
	// for ever.
	TTL time.Duration `mapstructure:"ttl"`
	// Timeout bounds one attempt to write a batch. Default: 30s.
	Timeout time.Duration `mapstructure:"timeout"`
	// Queue holds what waits to be written. Default: in memory, 1,000,000 spans,
	// in batches of 10,000 or of one second. With `storage` it is on disk and
	// survives the death of the collector.
	Queue configoptional.Optional[exporterhelper.QueueBatchConfig] `mapstructure:"sending_queue"`
	// Drain is how long a stop waits for ClickHouse to take what waits in the
	// queue; it does not wait for a ClickHouse that does not answer. Default: 10s.
	// 0: not at all.
	Drain time.Duration `mapstructure:"drain"`
	// Retry is what follows a failure that may pass. Default: without end.
	Retry configretry.BackOffConfig `mapstructure:"retry_on_failure"`
	// Redaction applies to every stored text. Default: secrets are removed.
	Redaction redact.Config `mapstructure:"redaction"`

	// prevent unkeyed literal initialisation
	_ struct{}
}

var _ component.Config = (*Config)(nil)

const (
	defaultTimeout = 30 * time.Second
	defaultDrain   = 10 * time.Second

	// ClickHouse wants few, large inserts: one part each.
	defaultQueueSize    = 1_000_000 // spans
	defaultBatchMin     = 10_000
	defaultBatchMax     = 50_000
	defaultFlushTimeout = time.Second
	defaultConsumers    = 4
)

func createDefaultConfig() component.Config {
	queue := exporterhelper.NewDefaultQueueConfig()
	queue.Sizer = exporterhelper.RequestSizerTypeItems
	queue.QueueSize = defaultQueueSize
	queue.NumConsumers = defaultConsumers
	queue.BlockOnOverflow = true // the grader waits, and refuses in its turn
	batch := exporterhelper.NewDefaultBatchConfig()
	batch.Sizer = exporterhelper.RequestSizerTypeItems
	batch.MinSize, batch.MaxSize, batch.FlushTimeout = defaultBatchMin, defaultBatchMax, defaultFlushTimeout
	queue.Batch = configoptional.Some(batch)
	retry := configretry.NewDefaultBackOffConfig()
	retry.MaxElapsedTime = 0 // what was graded is not dropped because ClickHouse is down for long
	return &Config{
		Timeout:   defaultTimeout,
		Drain:     defaultDrain,
		Queue:     configoptional.Some(queue),
		Retry:     retry,
		Redaction: redact.DefaultConfig(),
	}
}

// Validate reports every mistake at once.
func (c *Config) Validate() error {
	s := c.store()
	err := s.Validate()
	if c.Drain < 0 {
		err = errors.Join(err, fmt.Errorf("drain %v: want 0 or more", c.Drain))
	}
	return err
}

func (c *Config) store() store.Config {
	return store.Config{
		DSN: string(c.DSN), Database: c.Database, TablePrefix: c.TablePrefix, Cluster: c.Cluster, TTL: c.TTL, Timeout: c.Timeout,
	}
}
