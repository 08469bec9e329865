package trap

import (
	"regexp"
	"sync"
)

// patterns keeps compiled patterns: a suite has a few hundred, and each is
// looked at on every call of its run.
var patterns sync.Map // string -> *regexp.Regexp

func matches(pattern, text string) bool {
	if re, ok := patterns.Load(pattern); ok {
		return re.(*regexp.Regexp).MatchString(text)
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return false
	}
	patterns.Store(pattern, re)
	return re.MatchString(text)
}
