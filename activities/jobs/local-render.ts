import { GeneratorError } from '../../lib/generators/errors.ts';

/** From the start of the work, not of the wait for a process. Shorter renders are not recorded, which saves writes. */
const RECORDED_AFTER_MS = 1000;

/**
 * Runs a local render. After a second it is recorded, and its job can no longer be cancelled by the client; a job that
 * was cancelled before stops it. The result of a shorter one is not used if the job was cancelled meanwhile, because a
 * job ends once.
 * @param record returns false when the job has ended
 * @throws GeneratorError `exhausted` when the job has ended
 */
export async function recordedRender<T>(
  record: () => Promise<boolean>,
  signal: AbortSignal,
  render: (signal: AbortSignal, onStart: () => void) => Promise<T>,
): Promise<T> {
  const ended = new AbortController();
  const check = async () => {
    if (!(await record()))
      ended.abort(new GeneratorError({ kind: 'exhausted' }, 'The job has ended, so it is not rendered.'));
  };
  let timer: NodeJS.Timeout | undefined;
  const onStart = () => {
    // A render that is not recorded because MongoDB failed goes on; the job's end decides.
    timer = setTimeout(() => check().catch(() => {}), RECORDED_AFTER_MS);
  };
  try {
    return await render(AbortSignal.any([signal, ended.signal]), onStart);
  } finally {
    clearTimeout(timer);
  }
}
