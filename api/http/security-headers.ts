/**
 * Headers of every response (OWASP REST Security Cheat Sheet): no sniffing, framing, loading or scripts. The /docs
 * pages set their own policy. HSTS is left to the proxy that terminates TLS.
 */
export const SECURITY_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
} as const;
