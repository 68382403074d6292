#!/usr/bin/env bash
# Too slow or too heavy for every run: Spectral's rules on the OpenAPI document (half a minute), and Schemathesis let
# loose on the service (about 3,900 requests, two to four minutes on two cores). Needs Python 3.10 or newer;
# Schemathesis is kept in the user's cache folder, Spectral in npm's.
set -euo pipefail
cd "$(dirname "$0")/../.."
version=4.32.5
venv="${XDG_CACHE_HOME:-$HOME/.cache}/image-job-api/schemathesis-$version"
if [ ! -x "$venv/bin/schemathesis" ]; then
  python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet "schemathesis==$version"
fi
export PATH="$venv/bin:$PATH"
exec npx vitest run --root . --config test/nightly/vitest.config.ts
