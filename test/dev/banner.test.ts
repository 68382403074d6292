import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { banner } from '../../dev/stack/banner.ts';
import { REQUIRED } from '../setup/required.ts';

const described = {
  api_base: 'http://127.0.0.1:8080/api',
  upload_url: 'http://127.0.0.1:7070/results',
  demo_account_id: 'acc-1',
  demo_api_key: 'ija_demo',
  temporal_address: '127.0.0.1:7233',
  temporal_ui: null,
  mongodb_url: 'mongodb://127.0.0.1:27017/?replicaSet=rs0',
  s3_endpoint: 'http://127.0.0.1:7070',
  metrics: { api: '', worker: '', renderer: '' },
  env: REQUIRED,
};
const printed = (...warnings: string[]) => banner({ described, dataDir: '/data folder/.stack', warnings });

test('the banner of npm start shows the documentation, the demo account and how to add images to it', () => {
  expect(printed()).toMatch(/^ {2}Docs +http:\/\/127\.0\.0\.1:8080\/api\/docs$/m);
  expect(printed()).toMatch(/^ {2}Demo account +acc-1$/m);
  expect(printed()).toContain(
    "npm --prefix '/data folder' run --silent operator -- pack add --account acc-1 --images 500",
  );
});

test('it repeats the warnings of the start', () => {
  expect(printed('Port 8080 is in use.', 'Beware.')).toContain(
    '  Warning: Port 8080 is in use.\n\n  Warning: Beware.',
  );
  expect(printed()).not.toContain('Warning');
});

test('the command that creates the first job finds the sample photo from any folder', () => {
  const [command = ''] = /^ +printf .*?(?= \| curl)/m.exec(printed()) ?? [];
  const body = JSON.parse(execFileSync('sh', ['-c', command], { cwd: tmpdir(), encoding: 'utf8' }));
  expect(body.tool).toBe('image-enhancement');
  expect(Buffer.from(body.image_base64, 'base64').subarray(0, 2)).toEqual(Buffer.of(0xff, 0xd8));
});
