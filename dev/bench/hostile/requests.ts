import { type HostileRequest, jobRequest } from './attack.ts';
import { hostileForms } from './forms.ts';

const MB = 1024 * 1024;
const JSON_TYPE = { 'Content-Type': 'application/json' };

/** Bodies, headers and targets, each close to the limit it attacks. */
export function hostileRequests(): HostileRequest[] {
  return [...bodies(), ...hostileForms(), ...headers(), ...targets()];
}

function bodies(): HostileRequest[] {
  return [
    body('10,000 values', () => `{"a":[${'1,'.repeat(9_990)}1]}`),
    body('10,000 keys', () => `{"a":{${numbered(9_980, (n) => `"k${n}":${n}`)}}}`),
    body('the same key 10,000 times', () => `{${'"k":1,'.repeat(9_980)}"k":1}`),
    body('1 MB besides long strings', () => job(`"a":[${numbered(32, () => text('x', 32_000))}]`)),
    body('nesting 64 deep, 150 times', () => job(`"a":[${numbered(150, () => nested(60))}]`)),
    body('nesting a million deep', () => '['.repeat(MB)),
    body('30 MB of spaces', () => `{${' '.repeat(30 * MB - 10)}}`),
    body('30 MB of line ends', () => `{${'\n'.repeat(30 * MB - 10)}}`),
    body('a string of 29 MB', () => job(`"a":${text('x', 29 * MB)}`)),
    body('a string of 29 MB of escapes', () => job(`"a":"${'\\n'.repeat(14.5 * MB)}"`)),
    body('a string of 29 MB of escapes apart', () => job(`"a":"xxxxxxxx${'x\\n'.repeat(9.6 * MB)}"`)),
    body('a key of 29 MB', () => `{"${'k'.repeat(29 * MB)}":1}`),
    body(
      'a megabyte of escaped keys',
      () => `{${numbered(9_000, (n) => `"${'\\u0061'.repeat(15)}${n}":1`)}}`,
    ),
    body('lone surrogates', () => job(`"a":[${numbered(9_000, () => '"\\ud800"')}]`)),
    body('a number of 900,000 digits', () => job(`"a":${'9'.repeat(900_000)}`)),
    body('20 MB of base64 that is no image', () => image('A'.repeat(27 * MB))),
    body('28 MB of base64 in escapes of slashes', () => image('\\/'.repeat(14 * MB))),
    body('29 MB of base64 in \\u escapes', () => image('\\u0041'.repeat(4.8 * MB))),
    body('20 MB of base64 with a wrong end', () => image(`${'A'.repeat(27 * MB)}=A`)),
    body('a data URI without an end', () => image(`data:image/${'j'.repeat(27 * MB)}`)),
    body('97 unknown options of 100 characters', () => options(97, 100)),
    body('100 options of a megabyte', () => options(100, 100, text('v', 9_000))),
    body('an option with 9,000 items', () => job(`"options":{"surfaces":[${'"a",'.repeat(9_000)}"a"]}`)),
    body('a customPrompt of 29 MB', () => job(`"options":{"customPrompt":${text('é', 14 * MB)}}`)),
    body('an image_url of 2,000 labels', () => plain(`"image_url":"https://${'a.'.repeat(990)}com/"`)),
    body('an image_url in other alphabets', () => plain(`"image_url":"https://${scripts(1900)}.com/"`)),
    body('an image_url of 29 MB', () => plain(`"image_url":"https://a.example/${'%41'.repeat(9 * MB)}"`)),
    body('a webhook_url of brackets', () => job(`"webhook_url":"https://${'['.repeat(1900)}/"`)),
    { ...body('chunks of one byte', () => `{${' '.repeat(5 * MB)}}`), chunked: 1 },
    { ...body('chunks of 16 bytes', () => `{${' '.repeat(20 * MB)}}`), chunked: 16 },
  ];
}

function headers(): HostileRequest[] {
  const spaces = ' '.repeat(15_000);
  return [
    header('Content-Type', `application/json;charset=utf-8${spaces}x`),
    header('Content-Type', `application/json${'; a="\\"'.repeat(1800)}`),
    header('Content-Type', `application/json;${' ;'.repeat(7000)}`),
    header('Content-Encoding', `identity${spaces}x`),
    header('Expect', `100-continue${spaces}x`),
    header('X-Request-Id', `${'a'.repeat(15_000)}!`),
    header('Idempotency-Key', 'é'.repeat(7000)),
    header('X-Forwarded-For', '1, '.repeat(5000)),
    header('X-Forwarded-Host', ','.repeat(15_000)),
    header('Host', 'a.'.repeat(7000)),
    header('Cookie', 'a=b; '.repeat(3000)),
    {
      name: '1,500 headers',
      method: 'GET',
      target: '/api/v1/tools',
      headers: Object.fromEntries(Array.from({ length: 1500 }, (_, n) => [`x${n}`, ''])),
    },
  ];
}

function targets(): HostileRequest[] {
  const get = (name: string, target: string): HostileRequest => ({
    name,
    method: 'GET',
    target,
    headers: {},
  });
  return [
    get('a job id of 15,000 characters', `/api/v1/jobs/${'1'.repeat(15_000)}`),
    get('a job id of 5,000 escapes', `/api/v1/jobs/${'%41'.repeat(5000)}`),
    get('a job id of broken escapes', `/api/v1/jobs/${'%zz'.repeat(5000)}`),
    get('a path of 7,000 parts', `/api${'/a'.repeat(7000)}`),
    get('a path of slashes', '/'.repeat(15_000)),
    get('a query of 4,000 parameters', `/api/v1/tools?${'a=b&'.repeat(3900)}`),
    get('a query of broken escapes', `/api/v1/tools?${'%zz&'.repeat(3900)}`),
    get('question marks', `/api/v1/tools${'?'.repeat(15_000)}`),
    get('an absolute target', `http://${'a.'.repeat(7000)}/api/v1/tools`),
  ];
}

const body = (name: string, make: () => string): HostileRequest =>
  jobRequest(`body: ${name}`, () => Buffer.from(make()));

function header(name: string, value: string): HostileRequest {
  const request = jobRequest(`${name}: ${value.slice(0, 30).trim()}…`, () => Buffer.from('{}'));
  return { ...request, headers: { ...JSON_TYPE, [name]: value } };
}

const plain = (fields: string) => `{"tool":"virtual-renovation",${fields}}`;
const image = (characters: string) => plain(`"image_base64":"${characters}"`);
/** Passes every check before the fetch, which fails because the host does not exist. */
const job = (fields: string) => plain(`${fields},"image_url":"https://a.example/"`);
const text = (character: string, length: number) => `"${character.repeat(length)}"`;
const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
const numbered = (count: number, make: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => make(n)).join(',');
/** Distinct characters from U+4E00 on. */
const scripts = (count: number) =>
  String.fromCodePoint(...Array.from({ length: count }, (_, n) => 0x4e00 + n));

function options(count: number, length: number, value = '1'): string {
  const members = numbered(count, (n) => `"${String(n).padEnd(length, 'k')}":${value}`);
  return job(`"options":{${members}}`);
}
