import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { banner } from '../../dev/stack/banner.ts';
import { REQUIRED } from '../setup/required.ts';

const stack = {
  api_base: 'http://127.0.0.1:8080/api',
  upload_url: 'http://127.0.0.1:7070/results',
  demo_api_key: 'ija_demo',
  temporal_address: '127.0.0.1:7233',
  temporal_ui: null,
  mongodb_url: 'mongodb://127.0.0.1:27017/?replicaSet=rs0',
  s3_endpoint: 'http://127.0.0.1:7070',
  env: REQUIRED,
};

test('the banner of npm start warns of allowed origins that are not public', () => {
  const env = { ...stack.env, EGRESS_ALLOW_ORIGINS: 'http://127.0.0.1:9000' };
  const printed = banner({ ...stack, env }, '/data');
  expect(printed).toMatch(
    /Warning: EGRESS_ALLOW_ORIGINS lets every caller reach http:\/\/127\.0\.0\.1:9000 /,
  );
  expect(printed).toContain('leave it empty in production');
});

test('there is no warning without allowed origins', () => {
  expect(banner(stack, '/data')).not.toContain('Warning');
});

test('the command that creates the first job finds the sample photo from any folder', () => {
  const [command = ''] = /^ +printf .*?(?= \| curl)/m.exec(banner(stack, '/data')) ?? [];
  const body = JSON.parse(execFileSync('sh', ['-c', command], { cwd: tmpdir(), encoding: 'utf8' }));
  expect(body.tool).toBe('image-enhancement');
  expect(Buffer.from(body.image_base64, 'base64').subarray(0, 2)).toEqual(Buffer.of(0xff, 0xd8));
});
