/** Control characters of terminals, and those that change the direction of text. */
const CONTROLS = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;

/** One line of text that no terminal takes as a command. The text may be from a stranger. */
export const printable = (text: string): string => text.replace(CONTROLS, escaped);

/** The same for text of several lines. */
export const printableLines = (text: string): string => text.split('\n').map(printable).join('\n');

/** JSON on one line, of the same value. */
export const printableJson = (value: unknown): string => printable(JSON.stringify(value));

const escaped = (character: string) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;
