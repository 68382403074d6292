/** An image costs cents: more than this is an error of the upstream. */
const MOST_USD = 100;

/** What an upstream says an image costs, in US dollars; null where no image can cost that. */
export const plausibleCost = (usd: number): number | null => (usd >= 0 && usd <= MOST_USD ? usd : null);
