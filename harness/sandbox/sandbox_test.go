package sandbox

import (
	"errors"
	"strings"
	"testing"
)

func TestRun(t *testing.T) {
	tests := []struct{ name, source, want string }{
		{"print", `print(2 + 3 * 4)`, "14\n"},
		{"last expression", "x = 5\nx % 3", "2\n"},
		{"names", "a, b = 'x', 3\nprint('%s-%d' % (a * b, b))", "xxx-3\n"},
		{"functions", "def f(n, k=2):\n    return n if n < 2 else f(n - 1) + f(n - k)\nf(15)", "610\n"},
		{"loops and lists", "t = []\nfor i in range(4):\n    t.append(i * i)\nwhile len(t) > 2:\n    t = t[1:]\nprint(t, sum(t))", "[4, 9] 13\n"},
		{"augmented", "d = {'a': 1}\nd['a'] += 4\nd['a'] <<= 1\nd", "{\"a\": 10}\n"},
		{"slices", "s = 'abcdef'\nprint(s[::2], s[-2:], s[:2], [1, 2, 3][::-1])", "ace ef ab [3, 2, 1]\n"},
		{"comprehension", "[x + 1 for x in [1, 2, 3] if x * 2 > 2]", "[3, 4]\n"},
		{"arguments", "def f(*a, **k):\n    return [a, k]\nf(*[1, 2], **{'z': 3})", "[(1, 2), {\"z\": 3}]\n"},
		{"methods", "', '.join(['b', 'a'])", "b, a\n"},
		{"math", "math.sqrt(16.0) + (lambda q: q * 2)(3)", "10.0\n"},
		{"tests", "print(2 in [1, 2], 3 not in {3: 4}, 'a' < 'b', 1 == 1.0, [1] != [2])", "True False True True True\n"},
		{"nothing", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Run(tt.source)
			if err != nil || got != tt.want {
				t.Errorf("Run = %q, %v; want %q", got, err, tt.want)
			}
		})
	}
}

func TestLimits(t *testing.T) {
	for name, source := range map[string]string{
		"steps":            "while True:\n    pass",
		"recursion":        "def f(n):\n    return f(n + 1)\nf(0)",
		"repeat":           "x = 'x' * 1000000000",
		"repeat left":      "x = 1000000000 * [0]",
		"doubling":         "s = 'x'\nfor i in range(60):\n    s += s",
		"list of range":    "list(range(1000000000))",
		"sorted":           "sorted(range(1000000000))",
		"slices":           "l = list(range(100000))\nm = [l[:] for i in range(100000)]",
		"nested repr":      "l = [1]\nfor i in range(60):\n    l = [l, l]\nprint(l)",
		"big numbers":      "n = 3\nfor i in range(60):\n    n = n * n",
		"join":             "('x' * 1000000).join(['y'] * 1000000)",
		"replace":          "('x' * 1000000).replace('x', 'y' * 1000000)",
		"format":           "'{}{}'.format('x' * 20000000, 'x' * 20000000)",
		"unpacking":        "def f(*a):\n    pass\nf(*range(1000000000))",
		"split":            "[('a ' * 100000).split(' ') for i in range(1000)]",
		"long source":      strings.Repeat("#", MaxSource+1),
		"searching":        "l = list(range(1000000))\nfor i in range(500000):\n    -1 in l",
		"extend":           "l = [0]\nfor i in range(60):\n    l.extend(l)",
		"dictionary union": "d = {i: i for i in range(1000)}\nm = [d | {i: 0} for i in range(100000)]",
	} {
		t.Run(name, func(t *testing.T) {
			out, err := Run(source)
			if !errors.Is(err, ErrLimit) {
				t.Errorf("Run = %.40q, %v; want a limit", out, err)
			}
		})
	}
}

func TestOutputIsCut(t *testing.T) {
	out, err := Run("for i in range(10000):\n    print('0123456789' * 2)")
	if err != nil || !strings.HasSuffix(out, "[output cut at 65536 bytes]\n") || len(out) > MaxOutput+40 {
		t.Errorf("%d bytes that end in %q, %v", len(out), out[max(0, len(out)-40):], err)
	}
}

func TestErrorsHaveTheirPlace(t *testing.T) {
	for source, want := range map[string]string{
		"x = = 1":             "program:1:5: got '=', want primary expression",
		"load('f.star', 'x')": "load not implemented by this application",
		"open('/etc/passwd')": "program:1:1: undefined: open",
	} {
		if _, err := Run(source); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Run(%q): %v, want %q", source, err, want)
		}
	}
}

func FuzzRun(f *testing.F) {
	f.Add("print([x * 2 for x in range(3)])")
	f.Add("def f(a, b=1, *c, **d): return a[1:2:3] + b % c | d")
	f.Fuzz(func(t *testing.T, source string) {
		first, err1 := Run(source)
		second, err2 := Run(source)
		if first != second || (err1 == nil) != (err2 == nil) {
			t.Errorf("two runs differ: %q %v, %q %v", first, err1, second, err2)
		}
	})
}
