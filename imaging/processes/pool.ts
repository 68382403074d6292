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

/** What a process holds before its first image; estimates include it. Whatever it holds above that, malloc has kept. */
const FRESH_RSS_BYTES = 130e6;
/** One that holds more is ended rather than kept for the next image. */
const IDLE_RSS_BYTES = 300e6;

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

  /** An idle one that has not died meanwhile and in which the image has room beside what is left of others, else a new one. */
  async function take({ estimatedBytes, limits }: TaskContext): Promise<ImageProcess> {
    for (let process = idle.pop(); process !== undefined; process = idle.pop()) {
      const kept = Math.max(0, process.rssBytes() - FRESH_RSS_BYTES);
      if (process.alive && kept + estimatedBytes <= limits.rssBytes) return process;
      await end(process);
    }
    return start();
  }

  async function end(process: ImageProcess): Promise<void> {
    running.delete(process);
    await process[Symbol.asyncDispose]();
  }

  return {
    async run(task, input, context) {
      const { owner, signal, estimatedBytes, limits } = context;
      // In this order, so that nobody holds memory while waiting for a process.
      using _place = await turn(places, owner, 1, signal);
      using _memory = await turn(memory, owner, estimatedBytes, signal);
      const process = await take(context);
      try {
        return (await process.run({ task, input }, limits, signal)) as never;
      } finally {
        if (process.alive && process.rssBytes() <= IDLE_RSS_BYTES) idle.push(process);
        else await end(process);
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
