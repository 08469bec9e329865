#!/usr/bin/env bash
# generate.sh .        write the generated files
# generate.sh --check  fail when one of them is stale, and say which
#
# Run from the root of the repository (make generate, make generate-check).
set -euo pipefail

root=$PWD
tool() { go tool -modfile="$root/tools/go.mod" "$@"; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
out=$work/out
mkdir -p "$out/cmd/tracegrade"

# The distribution: the builder's main.go and go.mod are not used, only its
# list of components.
sed "s|output_path: .*|output_path: $work/dist|" builder-config.yaml >"$work/builder-config.yaml"
tool builder --config "$work/builder-config.yaml" --skip-get-modules --skip-compilation >"$work/log" 2>&1 ||
	{ cat "$work/log" >&2; exit 1; }
gofmt "$work/dist/components.go" >"$out/cmd/tracegrade/components.go"

# Types, metrics and lifecycle tests of every component, from its metadata.yaml.
# mdatagen writes in place: what was there is put back afterwards.
generated() { (cd "$1" && find . \( -name 'generated_*' -o -name documentation.md \) -type f -print0); }
for metadata in */*/metadata.yaml; do
	component=$(dirname "$metadata")
	generated "$component" | tar -C "$component" --null -T - -cf "$work/before.tar"
	(cd "$component" && tool mdatagen metadata.yaml >"$work/log" 2>&1) || { cat "$work/log" >&2; exit 1; }
	mkdir -p "$out/$component"
	generated "$component" | tar -C "$component" --null -T - -cf - | tar -C "$out/$component" -xf -
	[ ! -e "$component/main_test.go" ] || rm -f "$out/$component/generated_package_test.go" # it has a TestMain of its own
	generated "$component" | (cd "$component" && xargs -0 rm -f)
	tar -C "$component" -xf "$work/before.tar"
done

# Dashboards, from the named queries.
mkdir -p "$out/deploy/grafana"
go run ./deploy/grafana "$out/deploy/grafana"

stale=0
while IFS= read -r file; do
	cmp -s "$out/$file" "$file" && continue
	if [ "${1:-}" = --check ]; then
		echo "$file is stale: run make generate and commit the result" >&2
		diff -u "$file" "$out/$file" >&2 || true
		stale=1
	else
		mkdir -p "$(dirname "$file")"
		cp "$out/$file" "$file"
		echo "wrote $file"
	fi
done < <(cd "$out" && find . -type f | sed 's|^\./||' | sort)
exit $stale
