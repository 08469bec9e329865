package admit

import (
	"regexp"
	"sync"
)

// pattern compiles an expression when it is first asked for: all of them at once
// would be a good part of what every verb takes to start.
func pattern(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
