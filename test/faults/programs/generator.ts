import { GeneratorError } from '../../../lib/generators/errors.ts';
import { scriptedUpstream } from '../../setup/generators.ts';

/** The tool whose jobs fail. */
export const REFUSED_TOOL = 'pool';

/** Returns its input, and refuses one tool. */
export const createTestGenerator = () =>
  scriptedUpstream({
    [REFUSED_TOOL]: async () => {
      throw new GeneratorError({ kind: 'refused', reason: 'no_result' }, 'The model made no image.');
    },
  });
