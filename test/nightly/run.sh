#!/usr/bin/env bash
# Too slow or too heavy for every run: Spectral's rules on the OpenAPI document (half a minute), Schemathesis let loose on
# the service (about 3,900 requests, two to four minutes on two cores), docker-compose.yml run without containers (a
# minute), licences and known vulnerabilities of the packages of production, and ten minutes of the soak test.
# Needs Python 3.10 or newer, Go 1.26 or newer and PostgreSQL (Debian: apt-get install postgresql). Temporal's server,
# its SQL tool and Schemathesis are kept in the user's cache folder, Spectral in npm's; the first run builds Temporal's
# server, which takes ten minutes on a small machine.
set -euo pipefail
cd "$(dirname "$0")/../.."
version=4.32.5
venv="${XDG_CACHE_HOME:-$HOME/.cache}/image-job-api/schemathesis-$version"
if [ ! -x "$venv/bin/schemathesis" ]; then
  python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet "schemathesis==$version"
fi
export PATH="$venv/bin:$PATH"
npx vitest run --root . --config test/nightly/vitest.config.ts
exec npm run --silent soak -- --minutes 10
