import { readFile } from 'node:fs/promises';
import { type ClientOptions, ImageJobs as CoreImageJobs } from './client.ts';

export * from './index.ts';
export { checkInside, inFolder } from './inside.ts';
export { readPhotoInside } from './photo-file.ts';
export { resultPath } from './result-path.ts';

/** The client for Node, Deno and Bun: the image of a job may also be the path of a file. */
export class ImageJobs extends CoreImageJobs<string> {
  /** @throws {TypeError} for a key or a URL that cannot be used */
  constructor(options: ClientOptions) {
    super(options, async (path) => new Blob([await readFile(path)]));
  }
}
