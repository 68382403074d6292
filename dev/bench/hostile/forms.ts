import type { HostileRequest } from './attack.ts';

const MB = 1024 * 1024;
const BOUNDARY = 'b'.repeat(70);
const DELIMITER = `\r\n--${BOUNDARY}`;
/** A delimiter but for its last character. */
const NEARLY = `${DELIMITER.slice(0, -1)}!`;
const JOB = part('name="job"', '{"tool":"declutter"}');

/** Bodies of multipart/form-data, each close to a limit of their parser. */
export function hostileForms(): HostileRequest[] {
  return [
    form('a file of CR', () => [JOB, file('\r'.repeat(20 * MB))]),
    form('a file of line ends', () => [JOB, file('\r\n'.repeat(10 * MB))]),
    form('a file of near boundaries', () => [JOB, file(NEARLY.repeat((20 * MB) / NEARLY.length))]),
    form('29 MB before the parts', () => [NEARLY.repeat((29 * MB) / NEARLY.length), JOB]),
    form('a header of 29 MB', () => [part(`name="job"\r\nX: ${'x'.repeat(29 * MB)}`, '{}')]),
    form('29 MB of headers', () => [part(`name="job"${'\r\nX: y'.repeat(4.8 * MB)}`, '{}')]),
    form('29 MB of unfinished line ends in a header', () => [
      part(`name="job"${'\r\n\r'.repeat(9 * MB)}`, '{}'),
    ]),
    form('300,000 parts', () => ['\r\n\r\n'.concat(DELIMITER).repeat(300_000)]),
    form('JSON of 29 MB of escapes', () => [part('name="job"', `{"a":"${'\\n'.repeat(14 * MB)}"}`)]),
    {
      ...form('29 MB of delimiters of one character', () => ['\r\n--a'.repeat((29 * MB) / 5)]),
      headers: { 'Content-Type': 'multipart/form-data; boundary=a' },
    },
    { ...form('chunks of 512 bytes of CR', () => [JOB, file('\r'.repeat(20 * MB))]), chunked: 512 },
  ];
}

function form(name: string, parts: () => string[]): HostileRequest {
  return {
    name: `form: ${name}`,
    method: 'POST',
    target: '/api/v1/jobs',
    headers: { 'Content-Type': `multipart/form-data; boundary=${BOUNDARY}` },
    body: () => Buffer.from(`${parts().join('')}${DELIMITER}--\r\n`),
  };
}

function part(parameters: string, content: string): string {
  return `${DELIMITER}\r\nContent-Disposition: form-data; ${parameters}\r\n\r\n${content}`;
}

const file = (content: string) => part('name="image"; filename="a"', content);
