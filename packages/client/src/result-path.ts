import { basename, dirname, extname, join } from 'node:path';

/** Where the result of a photo goes by default: `photo.jpg` has `photo.day-to-dusk.jpg`, next to it. */
export function resultPath(photo: string, tool: string): string {
  const extension = extname(photo);
  return join(dirname(photo), `${basename(photo, extension)}.${tool}${extension}`);
}
