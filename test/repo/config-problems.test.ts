import fastify from 'fastify';
import { describe, expect, test } from 'vitest';
import { ConfigError, environmentProblems, loadConfig } from '../../lib/process/config/config.ts';
import { REQUIRED } from '../setup/required.ts';

const problemsWith = (env: Record<string, string>) => environmentProblems({ ...REQUIRED, ...env });

describe('an environment that is not usable', () => {
  test('is reported with all of its problems, however many, and what is allowed', () => {
    const broken = {
      TEMPORAL_TLS: 'maybe',
      S3_ENDPOINT: 'x',
      API_PORT: 'abc',
      PORT: '70000',
      TRUST_PROXY: 'everyone',
      KEY_PREFIX: 'A',
      ACCEPT_TIMEOUT_MS: '12000.5',
      GENERATORS: 'dall-e',
      OPENAI_QUALITY: 'fine',
      REPLICATE_MODEL: 'flux',
      WATERMARK_TEXT: '漢',
      EGRESS_ALLOW_ORIGINS: '127.0.0.1:9000',
      RENDER_SLOTS: '-1',
      LOG_LEVEL: 'loud',
    };
    const problems = problemsWith(broken);
    expect(problems.map((problem) => problem.split(':')[0]).sort()).toEqual(Object.keys(broken).sort());
    for (const allowed of [
      'TEMPORAL_TLS: must be true or false, not "maybe"',
      'S3_ENDPOINT: must begin with http:// or https://',
      'API_PORT: must be a whole number from 0 to 65535, not "abc"',
      'KEY_PREFIX: must be 2 to 16 characters of a-z, 0-9 and _, the first one a letter',
      'ACCEPT_TIMEOUT_MS: must be a whole number from 1000 to 2147000000, not "12000.5"',
      'LOG_LEVEL: must be one of fatal, error, warn, info, debug, trace, silent, not "loud"',
      'EGRESS_ALLOW_ORIGINS: entry 1 is not an origin such as http://127.0.0.1:8080',
    ])
      expect(problems).toContain(allowed);
    expect(() => loadConfig({ ...REQUIRED, ...broken })).toThrow(ConfigError);
  });

  test('includes what only a renderer needs', () => {
    const problem = 'BFL_API_KEY: must be set, because bfl is one of the generators';
    expect(problemsWith({ GENERATORS: 'bfl' })).toEqual([problem]);
  });

  test('never quotes a text, which may be a secret', () => {
    const text = 'not-a-url-but-a-secret';
    for (const name of ['S3_ENDPOINT', 'KEY_PREFIX', 'REPLICATE_MODEL', 'WATERMARK_TEXT'])
      expect(problemsWith({ [name]: `\n${text}` }).join()).not.toContain(text);
    const origins = `https://a.b, http://me:${text}@a.b/`;
    expect(problemsWith({ EGRESS_ALLOW_ORIGINS: origins })).toEqual([
      'EGRESS_ALLOW_ORIGINS: entry 2 is not an origin such as http://127.0.0.1:8080',
    ]);
  });
});

describe('a number', () => {
  test.each(['true', 'false', '1e3', '0x1F90', '0b1', '+8080', ' 8080', '8080 ', '8080.0', '-1', '٨', 'NaN'])(
    'is written in digits only: %j is refused',
    (text) => {
      const broken = { API_PORT: text, RENDER_SLOTS: text, DRAIN_MS: text, OTEL_TRACES_SAMPLER_ARG: '1e-1' };
      expect(problemsWith(broken).sort()).toEqual([
        `API_PORT: must be a whole number from 0 to 65535, not ${JSON.stringify(text)}`,
        `DRAIN_MS: must be a whole number from 0 to 2147000000, not ${JSON.stringify(text)}`,
        'OTEL_TRACES_SAMPLER_ARG: must be a number from 0 to 1, not "1e-1"',
        `RENDER_SLOTS: must be a whole number of at least 0, not ${JSON.stringify(text)}`,
      ]);
    },
  );

  test.each(['true', '1e3', '0x1F90'])('is no port either as %j', (PORT) => {
    const problem = `PORT: must be a whole number from 0 to 65535, not ${JSON.stringify(PORT)}`;
    expect(problemsWith({ PORT })).toEqual([problem]);
  });

  test.each(['DRAIN_MS', 'SHUTDOWN_GRACE_MS', 'ACCEPT_TIMEOUT_MS'])(
    'of milliseconds is one that a timer can wait for: %s',
    (name) => {
      expect(problemsWith({ [name]: '2147000000' })).toEqual([]);
      expect(problemsWith({ [name]: '2147483648' })).toHaveLength(1);
    },
  );

  test('may be a fraction only where it is a share', () => {
    expect(problemsWith({ OTEL_TRACES_SAMPLER_ARG: '0.25' })).toEqual([]);
    expect(loadConfig({ ...REQUIRED, API_PORT: '0080' }).api.port).toBe(80);
  });
});

describe('EGRESS_ALLOW_ORIGINS', () => {
  test('is a list of origins, normalised', () => {
    const { egress } = loadConfig({
      ...REQUIRED,
      EGRESS_ALLOW_ORIGINS: 'HTTP://LocalHost:80/ , https://a.b',
    });
    expect(egress.allowOrigins).toEqual(['http://localhost', 'https://a.b']);
  });

  test.each(['localhost', 'ftp://a.b', 'http://a.b/path', 'http://user@a.b', 'http://a.b?x', '*'])(
    'refuses %s',
    (entry) => {
      expect(problemsWith({ EGRESS_ALLOW_ORIGINS: entry })).toHaveLength(1);
    },
  );
});

describe.each(['BFL', 'REPLICATE', 'FAL'])('%s_RESULT_ORIGINS', (generator) => {
  const name = `${generator}_RESULT_ORIGINS`;

  test('is a list of origins, normalised', () => {
    const { bfl, replicate, fal } = loadConfig({
      ...REQUIRED,
      [name]: 'HTTP://10.0.0.7:80/ , https://a.b',
    }).generators;
    const lists = { BFL: bfl, REPLICATE: replicate, FAL: fal };
    for (const [other, { resultOrigins }] of Object.entries(lists))
      expect(resultOrigins).toEqual(other === generator ? ['http://10.0.0.7', 'https://a.b'] : []);
  });

  test.each([
    ['files', 'entry 1 is not an origin'],
    ['https://a.b,http://files:9000/results', 'entry 2 is not an origin'],
    ['http://files.example.com', 'must be https'],
  ])('refuses %s', (list, problem) => {
    expect(problemsWith({ [name]: list })).toEqual([expect.stringContaining(`${name}: ${problem}`)]);
  });
});

describe('TRUST_PROXY', () => {
  const LISTS = [
    '10.0.0.1',
    '10.0.0.0/8, ::1',
    'fd00::/8',
    '10.0.0.0/255.0.0.0',
    'loopback, uniquelocal',
    '::ffff:10.0.0.1',
  ];

  test.each([...LISTS, '1', ' 2 '])('accepts %j', (value) => {
    expect(problemsWith({ TRUST_PROXY: value })).toEqual([]);
  });

  test.each(LISTS)('accepts only what Fastify does: %j', async (value) => {
    await fastify({ trustProxy: loadConfig({ ...REQUIRED, TRUST_PROXY: value }).api.trustProxy }).close();
  });

  test.each([
    'true',
    '10.0.0.0/33',
    '10.0.0.0/0',
    '10.0.0.0/255.0.255.0',
    'proxy.example',
    '1, 10.0.0.1',
    '::1/129',
  ])('refuses %j', (value) => {
    expect(problemsWith({ TRUST_PROXY: value })).toEqual([expect.stringMatching(/^TRUST_PROXY: /)]);
  });
});
