const DATE_TIME =
  /^(\d{4}-\d\d-\d\d)[Tt](?:[01]\d|2[0-3]):\d\d:\d\d(?:\.\d{1,3}(\d{0,17}))?(?:[Zz]|[+-]\d\d:\d\d)$/;

/** An RFC 3339 time, rounded up to a millisecond; undefined if it is none, or names a leap second. */
export function instantOf(text: string): Date | undefined {
  const [, date = '', beyond = ''] = DATE_TIME.exec(text) ?? [];
  const ms = Date.parse(text.toUpperCase());
  if (date === '' || Number.isNaN(ms) || !isOfCalendar(date)) return undefined;
  return new Date(/[1-9]/.test(beyond) ? ms + 1 : ms);
}

/** Date.parse takes 30 February for 2 March. */
const isOfCalendar = (date: string) => new Date(`${date}T00:00:00Z`).toISOString().startsWith(date);
