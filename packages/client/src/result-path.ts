import { basename, dirname, extname, join } from 'node:path';

/** The default path of a result, next to its photo: `photo.day-to-dusk.jpg` for `photo.jpg`. */
export function resultPath(photo: string, tool: string): string {
  const extension = extname(photo);
  return join(dirname(photo), `${basename(photo, extension)}.${tool}${extension}`);
}
