/**
 * On every answer (OWASP: REST Security Cheat Sheet). Answers are data: nothing is sniffed, framed, loaded or run from
 * them; the pages of /docs say what they need instead. HSTS is for whoever ends TLS to say.
 */
export const SECURITY_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
} as const;
