#!/usr/bin/env bash
# generate.sh .        write the generated files
# generate.sh --check  fail when one of them is stale, and say which
#
# Run from the root of the repository (make generate, make generate-check).
set -euo pipefail

tool() { go tool -modfile="$root/tools/go.mod" "$@"; }
root=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The distribution: the builder's main.go and go.mod are not used, only its
# list of components.
sed "s|output_path: .*|output_path: $work/dist|" builder-config.yaml >"$work/builder-config.yaml"
tool builder --config "$work/builder-config.yaml" --skip-get-modules --skip-compilation >"$work/log" 2>&1 ||
	{ cat "$work/log" >&2; exit 1; }
mkdir -p "$work/out/cmd/tracegrade"
gofmt "$work/dist/components.go" >"$work/out/cmd/tracegrade/components.go"

stale=0
while IFS= read -r file; do
	cmp -s "$work/out/$file" "$file" && continue
	if [ "${1:-}" = --check ]; then
		echo "$file is stale: run make generate and commit the result" >&2
		diff -u "$file" "$work/out/$file" >&2 || true
		stale=1
	else
		cp "$work/out/$file" "$file"
		echo "wrote $file"
	fi
done < <(cd "$work/out" && find . -type f | sed 's|^\./||' | sort)
exit $stale
