/**
 * Text on one line in which no character is Markdown. The Temporal UI shows summaries and details
 * as Markdown.
 */
export const escaped = (text: string) =>
  text.replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu, ' ').replace(/[!-/:-@[-`{-~]/g, String.raw`\$&`);

/** An upstream may choose an id of thousands of characters. */
const MOST_CODE = 200;

/**
 * A name or an id as code; escaped if it has a character that could end the code or if it is too
 * long, and then cut off.
 */
export const code = (text: string) =>
  /^[\w.:/@+-]+$/.test(text) && text.length <= MOST_CODE ? `\`${text}\`` : escaped(text.slice(0, MOST_CODE));
