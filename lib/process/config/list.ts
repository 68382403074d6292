/** The entries of a comma-separated variable. */
export const listOf = (text = ''): string[] =>
  text
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean);
