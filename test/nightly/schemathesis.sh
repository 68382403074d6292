#!/usr/bin/env bash
# Lets Schemathesis loose on the service with the OpenAPI document it serves: about 3,900 requests in one to four
# minutes on two cores. Needs Python 3.10 or newer; Schemathesis is kept in the user's cache folder.
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
