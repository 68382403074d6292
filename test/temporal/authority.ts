import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Paths of PEM files. */
export interface Issued {
  cert: string;
  key: string;
}

export interface Authority extends Disposable {
  ca: string;
  /** A certificate of this authority for names such as `DNS:localhost,IP:127.0.0.1`. */
  issue(names: string): Issued;
}

/** A certificate authority of the test's own, which is gone when disposed. */
export function createAuthority(): Authority {
  const folder = mkdtempSync(join(tmpdir(), 'authority-'));
  let count = 0;
  const request = (name: string, ...args: string[]): Issued => {
    const made = { cert: join(folder, `${name}.pem`), key: join(folder, `${name}.key`) };
    const kind = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
    const out = ['-subj', `/CN=${name}`, '-days', '2', '-keyout', made.key, '-out', made.cert];
    execFileSync('openssl', [...kind, ...out, ...args], { stdio: 'pipe' });
    return made;
  };
  const root = request('authority');
  return {
    ca: root.cert,
    issue(names) {
      count += 1;
      const signed = ['-CA', root.cert, '-CAkey', root.key];
      const leaf = ['-addext', `subjectAltName=${names}`, '-addext', 'basicConstraints=critical,CA:FALSE'];
      return request(`leaf-${count}`, ...signed, ...leaf);
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}
