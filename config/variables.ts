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
export const Port = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum: 65_535, description }));
export const Optional = (description: string) => Type.String({ description, default: '' });
export const Flag = (description: string, value: boolean) => Type.Boolean({ description, default: value });
