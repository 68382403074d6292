/** A URL without slashes at its end. A loop, because `/\/+$/` takes quadratic time on a long run of slashes. */
export function withoutSlash(url: string): string {
  let end = url.length;
  while (url[end - 1] === '/') end -= 1;
  return url.slice(0, end);
}
