import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { ConfigError, Environment, loadConfig } from '../../lib/process/config/config.ts';
import { SECRET_FILES, SECRETS } from '../../lib/process/config/secret-files.ts';
import { REQUIRED } from '../setup/required.ts';

describe('.env.example', () => {
  const lines = readFileSync('.env.example', 'utf8').split('\n');
  const listed = lines.filter((line) => /^[A-Z]/.test(line)).map((line) => line.split(/=(.*)/s).slice(0, 2));

  test('lists every variable with its default or an example, in the order of the schema', () => {
    const declared = Object.entries(Environment.properties).map(([name, schema]) => {
      const examples = 'examples' in schema ? schema.examples : '';
      return [name, String('default' in schema ? schema.default : examples)];
    });
    expect(listed).toEqual(declared);
  });

  test('names the required variables in its head', () => {
    const head = lines.slice(0, lines.indexOf('')).join(' ');
    expect(head.match(/\b[A-Z][A-Z0-9_]{6,}\b/g)).toEqual(Object.keys(REQUIRED));
  });

  test('names the variables with files of secrets', () => {
    const head = lines
      .slice(
        0,
        lines.findIndex((line) => line.includes('=')),
      )
      .join(' ');
    expect(head.match(/\b[A-Z][A-Z0-9_]*_FILE\b/g)).toEqual(['NAME_FILE', ...SECRET_FILES]);
    for (const name of SECRETS) expect(Object.keys(Environment.properties)).toContain(name);
  });

  test('explains every variable in the words of the schema', () => {
    for (const [name, schema] of Object.entries(Environment.properties)) {
      const at = lines.findIndex((line) => line.startsWith(`${name}=`));
      expect(lines[at - 1]).toBe(`# ${'description' in schema ? schema.description : ''}`);
    }
  });
});

describe('the configuration', () => {
  test('is frozen in every group', () => {
    const config = loadConfig(REQUIRED);
    expect(Object.isFrozen(config)).toBe(true);
    for (const group of Object.values(config))
      if (typeof group === 'object') expect(Object.isFrozen(group)).toBe(true);
  });

  test('treats an empty variable as not set', () => {
    expect(loadConfig({ ...REQUIRED, API_PORT: '' }).api.port).toBe(8080);
  });

  test('uses PORT when API_PORT is not set', () => {
    expect(loadConfig({ ...REQUIRED, PORT: '3000' }).api.port).toBe(3000);
    expect(loadConfig({ ...REQUIRED, PORT: '3000', API_PORT: '' }).api.port).toBe(3000);
    expect(loadConfig({ ...REQUIRED, PORT: '3000', API_PORT: '4000' }).api.port).toBe(4000);
    expect(loadConfig({ ...REQUIRED, PORT: '3000', API_PORT: '0' }).api.port).toBe(0);
    expect(loadConfig({ ...REQUIRED, PORT: '' }).api.port).toBe(8080);
    expect(() => loadConfig({ ...REQUIRED, PORT: 'a socket' })).toThrow(/^[^\n]*\n {2}PORT: [^\n]*$/);
  });

  test('has a slot for every call to a model that may be in progress, and more for work on pixels', () => {
    const { renderSlots, imagesInMemory } = loadConfig({ ...REQUIRED, GENERATORS: 'preview' }).worker;
    expect(renderSlots).toBe(imagesInMemory);
    const upstreams = { GENERATORS: 'bfl,preview', GENERATORS_FOR_PHOTO: 'fal', FAL_CONCURRENCY: '5' };
    expect(loadConfig({ ...REQUIRED, ...upstreams }).worker.renderSlots).toBe(imagesInMemory + 24 + 5);
    expect(loadConfig({ ...REQUIRED, ...upstreams, RENDER_SLOTS: '3' }).worker.renderSlots).toBe(3);
  });

  test('has as many images in memory as its image processes work on, and as many that follow', () => {
    const imagesOf = (processes: string) =>
      loadConfig({ ...REQUIRED, IMAGE_PROCESSES: processes }).worker.imagesInMemory;
    expect([imagesOf('1'), imagesOf('16')]).toEqual([8, 32]);
  });

  test('has no default for the address of a server, nor for a public URL', () => {
    const missing = Object.keys(REQUIRED).map((name) => `  ${name}: must be set`);
    expect(() => loadConfig({})).toThrow(['The environment is not usable:', ...missing].join('\n'));
  });

  test.each(['Example Studio', 'Студия', '© 2026', 'Größe'])('accepts the watermark %s', (text) => {
    expect(loadConfig({ ...REQUIRED, WATERMARK_TEXT: text }).worker.watermarkText).toBe(text);
  });

  test.each([' ', '\u200b', '漢字', 'x'.repeat(41), 'two\nlines'])('refuses the watermark %j', (text) => {
    expect(() => loadConfig({ ...REQUIRED, WATERMARK_TEXT: text })).toThrow('WATERMARK_TEXT');
  });

  test('reports every problem at once, by the name of the variable', () => {
    const broken = { API_PORT: 'eighty', UPLOAD_URL: 'ftp://x', LOG_LEVEL: 'loud' };
    expect(() => loadConfig(broken)).toThrow(ConfigError);
    for (const name of ['MONGODB_URL', 'S3_ENDPOINT', 'API_PORT', 'UPLOAD_URL', 'LOG_LEVEL'])
      expect(() => loadConfig(broken)).toThrow(name);
  });

  test.each([
    [
      'MONGODB_URL',
      'localhost:27017',
      'must be a connection string that begins with mongodb:// or mongodb+srv://',
    ],
    ['TEMPORAL_ADDRESS', 'https://temporal.example:7233', 'must be host:port'],
    ['TEMPORAL_ADDRESS', 'temporal.example', 'must be host:port'],
    ['WORKER_QUEUES', 'images', 'must be one of all, jobs, webhooks, not "images"'],
  ])('refuses %s=%s in words', (name, value, problem) => {
    expect(() => loadConfig({ ...REQUIRED, [name]: value })).toThrow(
      `The environment is not usable:\n  ${name}: ${problem}`,
    );
  });

  test.each(['mongodb+srv://me:pw@cluster0.example.mongodb.net/?tls=true', 'mongodb://[::1]:27017/'])(
    'accepts the connection string %s',
    (MONGODB_URL) => {
      expect(loadConfig({ ...REQUIRED, MONGODB_URL }).mongo.url).toBe(MONGODB_URL);
    },
  );

  test('reports unreadable TLS files, a certificate without its key, and one S3 key without the other', () => {
    const broken = {
      LOG_LEVEL: 'loud',
      MONGODB_TLS_CA_FILE: '/nowhere/mongo.pem',
      S3_ACCESS_KEY_ID: 'key',
      TEMPORAL_TLS_CA_FILE: '/nowhere/ca.pem',
      TEMPORAL_TLS_CERT_FILE: import.meta.filename,
    };
    const problems = [
      'LOG_LEVEL: ',
      'TEMPORAL_TLS_CA_FILE: the file cannot be read (ENOENT)',
      'TEMPORAL_TLS_CERT_FILE, TEMPORAL_TLS_KEY_FILE: must be set together',
      'MONGODB_TLS_CA_FILE: the file cannot be read (ENOENT)',
      'S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY: must be set together',
    ];
    for (const problem of problems) expect(() => loadConfig({ ...REQUIRED, ...broken })).toThrow(problem);
  });
});
