import { type Budget, createBudget, type Lease } from '../../budget.ts';
import { type EntryPoint, type ImageProcess, startImageProcess } from './image-process.ts';
import type { Tasks } from './messages.ts';
import type { TaskLimits } from './watch.ts';

export interface PoolOptions {
  entry: EntryPoint;
  /** Images worked on at a time, each in a process of its own. */
  processes: number;
  /** Estimated bytes of the images worked on at a time. */
  memoryBytes: number;
}

/** Whose image it is, and what it is expected to take; over the limits it is ended. */
export interface TaskContext {
  owner: string;
  signal: AbortSignal;
  estimatedBytes: number;
  limits: TaskLimits;
}

/** Child processes that work on images, so that none of them can stop this process or outlive its limits. */
export interface ImagePool<T extends Tasks> extends AsyncDisposable {
  /**
   * Waits for a process and for memory, in fair turns of the owners, then runs the task.
   * @throws what {@link ImageProcess.run} throws
   */
  run<Name extends keyof T & string>(
    task: Name,
    input: Parameters<T[Name]>[0],
    context: TaskContext,
  ): Promise<Awaited<ReturnType<T[Name]>>>;
}

/** A process that holds more than this after its image is replaced: what malloc keeps would count for the next one. */
const RECYCLED_RSS_BYTES = 300e6;

/** Resolves once one process is up, which shows that they can be had at all. */
export async function openImagePool<T extends Tasks>(options: PoolOptions): Promise<ImagePool<T>> {
  const { entry, processes, memoryBytes } = options;
  const memory = createBudget({ total: memoryBytes, perOwner: memoryBytes });
  const places = createBudget({ total: processes, perOwner: processes });
  const running = new Set<ImageProcess>();
  const idle: ImageProcess[] = [await start()];

  async function start(): Promise<ImageProcess> {
    const process = await startImageProcess(entry);
    running.add(process);
    return process;
  }

  /** An idle one that has not died meanwhile, else a new one. */
  async function take(): Promise<ImageProcess> {
    for (let process = idle.pop(); process !== undefined; process = idle.pop()) {
      if (process.alive) return process;
      running.delete(process);
    }
    return start();
  }

  async function giveBack(process: ImageProcess): Promise<void> {
    if (process.alive && process.rssBytes() <= RECYCLED_RSS_BYTES) {
      idle.push(process);
      return;
    }
    running.delete(process);
    await process[Symbol.asyncDispose]();
  }

  return {
    async run(task, input, { owner, signal, estimatedBytes, limits }) {
      using _memory = await turn(memory, owner, estimatedBytes, signal);
      using _place = await turn(places, owner, 1, signal);
      const process = await take();
      try {
        return (await process.run({ task, input }, limits, signal)) as never;
      } finally {
        await giveBack(process);
      }
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...running].map((process) => process[Symbol.asyncDispose]()));
    },
  };
}

async function turn(budget: Budget, owner: string, amount: number, signal: AbortSignal): Promise<Lease> {
  try {
    return await budget.acquire(owner, amount, signal);
  } catch {
    throw signal.reason;
  }
}
