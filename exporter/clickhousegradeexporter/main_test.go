package clickhousegradeexporter

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/tracegrade/tracegrade/internal/store/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(storetest.Main(m)) }
