import { Type } from 'typebox';

export const Text = (description: string, value: string) =>
  Type.String({ minLength: 1, description, default: value });
/** An address has no default: a process must not connect to, or advertise, another one than was meant. */
export const Address = (description: string, example: string, form: { pattern: string; expected: string }) =>
  Type.String({ ...form, description, examples: [example] });
export const Url = (description: string, example: string) =>
  Type.String({ pattern: '^https?://[^/]+', description, examples: [example] });
export const Count = (description: string, value: number, minimum = 1) =>
  Type.Integer({ minimum, description, default: value });
/** The longest timer of Node is 2^31 - 1 ms; a longer one would fire at once. Some have a few seconds added. */
const MOST_MS = 2_147_000_000;
export const Milliseconds = (description: string, value: number, minimum = 0) =>
  Type.Integer({ minimum, maximum: MOST_MS, description, default: value });
export const Port = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum: 65_535, description }));
export const Optional = (description: string) => Type.String({ description, default: '' });
export const Flag = (description: string, value: boolean) => Type.Boolean({ description, default: value });
