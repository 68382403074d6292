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

/** A certificate authority with files in a temporary folder, which is deleted on disposal. */
export function createAuthority(): Authority {
  const folder = mkdtempSync(join(tmpdir(), 'authority-'));
  let count = 0;
  const issue = (name: string, ...args: string[]): Issued => {
    const files = { cert: join(folder, `${name}.pem`), key: join(folder, `${name}.key`) };
    const kind = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
    const out = ['-subj', `/CN=${name}`, '-days', '2', '-keyout', files.key, '-out', files.cert];
    execFileSync('openssl', [...kind, ...out, ...args], { stdio: 'pipe' });
    return files;
  };
  const root = issue('authority');
  return {
    ca: root.cert,
    issue(names) {
      count += 1;
      const signed = ['-CA', root.cert, '-CAkey', root.key];
      const leaf = ['-addext', `subjectAltName=${names}`, '-addext', 'basicConstraints=critical,CA:FALSE'];
      return issue(`leaf-${count}`, ...signed, ...leaf);
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}
