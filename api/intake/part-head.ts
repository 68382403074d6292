import { invalidRequest as invalid } from '../../lib/contract/api-errors.ts';
import type { ApiError } from '../../lib/contract/errors.ts';

export interface PartHead {
  name: 'job' | 'image';
  /** Media type in lower case, without parameters. */
  type: string;
}

export interface PartHeadReader {
  /** @param line with its line end. @throws ApiError invalid_request */
  add(line: string): void;
  /** @throws ApiError invalid_request */
  finish(): PartHead;
}

const KNOWN = ['content-disposition', 'content-type', 'content-transfer-encoding'] as const;
type Headers = Partial<Record<(typeof KNOWN)[number], string>>;

const MAX_NAME = 50;
/** RFC 7578, 4.4. */
const DEFAULT_TYPE = 'text/plain';
const PLAIN = ['7bit', '8bit', 'binary'];
const CRLF = '\r\n';
const FORM_DATA = /^form-data[ \t]*/i;
const PARAMETERS = ['name', 'filename', 'filename*'];
const HEADER = /^([\w!#$%&'*+.^`|~-]+):(.*)$/s;
/** A backslash escapes a quote, as curl does; browsers write %22 instead. */
const PARAMETER = /;[ \t]*([\w!#$%&'*+.^`|~-]+)=(?:"((?:[^"\\]|\\.)*)"|([\w!#$%&'*+.^`|~-]+))[ \t]*/gsy;

const BAD_LINE_END =
  'A header of a part has a line break or a CR inside. End each header with CRLF, and write %0D%0A for a line break in the name of a file.';
const BAD_HEADER =
  'A header of a part is not of the form "Name: value". Send each on one line, without a space before the colon.';
const NO_DISPOSITION = 'A part has no Content-Disposition. Send form-data with the name job or image.';
const BAD_DISPOSITION =
  'The Content-Disposition of a part is not form-data with one name, job or image, and at most one filename. Quote the values, and write %22 for a quote in them.';

/** Reads the headers of a part of the form (RFC 7578, 4). An ambiguous header is an error. */
export function createPartHead(): PartHeadReader {
  const headers: Headers = {};
  let hasNul = false;

  return {
    add(line) {
      const text = line.slice(0, -CRLF.length);
      if (!line.endsWith(CRLF) || /[\r\n]/.test(text)) throw invalid(BAD_LINE_END);
      const [, field = '', value = ''] = HEADER.exec(text) ?? [];
      if (field === '') throw invalid(BAD_HEADER);
      hasNul ||= text.includes('\0');
      const known = KNOWN.find((name) => name === field.toLowerCase());
      if (known === undefined) return;
      if (headers[known] !== undefined) throw invalid(`A part has two headers ${field}. Send one.`);
      headers[known] = value.trim();
    },
    finish() {
      // First of all, because the other errors name the part.
      const name = nameOf(headers['content-disposition']);
      if (hasNul) throw invalid(`The part ${name} has a NUL in its headers. Leave it out.`);
      checkEncoding(name, headers['content-transfer-encoding']);
      return { name, type: typeOf(name, headers['content-type']) };
    },
  };
}

function nameOf(disposition: string | undefined): PartHead['name'] {
  if (disposition === undefined) throw invalid(NO_DISPOSITION);
  const name = parametersOf(disposition).get('name');
  if (name === undefined) throw invalid(BAD_DISPOSITION);
  if (name !== 'job' && name !== 'image') throw unknownPart(name);
  return name;
}

function parametersOf(disposition: string): Map<string, string> {
  const found = new Map<string, string>();
  let end = FORM_DATA.exec(disposition)?.[0].length ?? 0;
  if (end === 0) throw invalid(BAD_DISPOSITION);
  for (const [text, field = '', quoted, token = ''] of disposition.slice(end).matchAll(PARAMETER)) {
    const name = field.toLowerCase();
    if (found.has(name) || !PARAMETERS.includes(name)) throw invalid(BAD_DISPOSITION);
    found.set(name, quoted ?? token);
    end += text.length;
  }
  if (end < disposition.length) throw invalid(BAD_DISPOSITION);
  return found;
}

function checkEncoding(name: string, encoding = 'binary'): void {
  if (!PLAIN.includes(encoding.toLowerCase()))
    throw invalid(`The part ${name} has a Content-Transfer-Encoding. Send its bytes as they are.`);
}

/** Only JSON has a charset. A charset of an image has no effect. */
function typeOf(name: string, value = DEFAULT_TYPE): string {
  const [type = '', ...parameters] = value.split(';').map((part) => part.trim().toLowerCase());
  const charsets = parameters.filter((parameter) => /^charset\b/.test(parameter));
  if (name === 'job' && !charsets.every((charset) => /^charset=("?)utf-8\1$/.test(charset)))
    throw invalid('The part job has a charset other than UTF-8. Send JSON in UTF-8.');
  return type;
}

function unknownPart(name: string): ApiError {
  const named = JSON.stringify(name.slice(0, MAX_NAME));
  return invalid(
    `The form has a part named ${named}. Send the parts job and image only, and all fields in the JSON of job.`,
  );
}
