package sandbox

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"go.starlark.net/starlark"
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
		"sum of texts":     "sum(['x' * 100] * 100000, '')",
		"too deep":         "x = ['x']\nfor i in range(200):\n    x = [x, x]\nprint([[x]])",
		"equal by value":   "x = ['x']\ny = ['x']\nfor i in range(9):\n    x, y = [x] * 60, [y] * 60\nx == y",
		"keys by value":    "x = ('x',)\nfor i in range(60):\n    x = (x, x)\n{x: 1}",
		"index by value":   "x = ('x',)\nfor i in range(60):\n    x = (x, x)\nd = {}\nd[x]",
		"found by value":   "x = ('x',)\nfor i in range(60):\n    x = (x, x)\nx in {}",
		"one key, often":   "x = 'x' * 10000000\nfor i in range(100000):\n    {x: 1}",
		"sorted by key":    "a, b = 'x' * 5000000, 'x' * 5000000\nsorted(range(100000), key=lambda i: a if i % 2 else b)",
		"format repeated":  "('{0}' * 10000).format('x' * 1000000)",
		"named repeated":   "('%(a)s' * 10000) % {'a': 'x' * 1000000}",
		"division":         "n = 3\nfor i in range(15):\n    n *= n\nfor i in range(100000):\n    n // (n // 7)",
		"looking in lists": "x = ['x' * 1000000]\nfor i in range(100000):\n    ('x' * 1000000 + 'y') in x",
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

// TestGrowingIsLinear: a program that makes a list of n elements one by one costs
// its steps and a constant for each, never the size of the list so far.
func TestGrowingIsLinear(t *testing.T) {
	for name, source := range map[string]string{
		"append":     "x = []\nfor i in range(%d):\n    x.append(1)\nlen(x)",
		"add":        "x = set()\nfor i in range(%d):\n    x.add(i)\nlen(x)",
		"setdefault": "x = {}\nfor i in range(%d):\n    x.setdefault(i, 1)\nlen(x)",
		"key":        "x = {}\nfor i in range(%d):\n    x[i] = 1\nlen(x)",
	} {
		const n = 200_000
		if out, err := Run(fmt.Sprintf(source, n)); err != nil || out != fmt.Sprintln(n) {
			t.Errorf("%s: %q, %v", name, out, err)
		}
	}
	b := &budget{left: MaxBytes}
	long := starlark.NewList(make([]starlark.Value, 10_000))
	method, err := long.Attr("append")
	if err != nil {
		t.Fatal(err)
	}
	short, err := starlark.NewList(nil).Attr("append")
	if err != nil {
		t.Fatal(err)
	}
	args := starlark.Tuple{starlark.MakeInt(1)}
	// The elements are nil: to look at one would panic.
	if l, s := b.cost(method.(*starlark.Builtin), args, nil), b.cost(short.(*starlark.Builtin), args, nil); l != s {
		t.Errorf("append to 10,000 elements costs %d, to none %d", l, s)
	}
}

func TestErrorsAreCut(t *testing.T) {
	_, err := Run("fail('x' * 1000000)")
	if err == nil || len(err.Error()) > maxError+64 || !strings.HasSuffix(err.Error(), "[error cut at 4096 bytes]") {
		t.Errorf("an error of %d bytes", len(fmt.Sprint(err)))
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
