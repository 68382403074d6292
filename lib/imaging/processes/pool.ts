import { acquireUnlessAborted, createLimit, type Limit } from '../../admission/limit.ts';
import { type EntryPoint, type ImageProcess, startImageProcess } from './image-process.ts';
import type { Tasks } from './serve.ts';
import type { TaskLimits } from './watch.ts';

export interface PoolOptions {
  entry: EntryPoint;
  /** Maximum number of images in work, each in a process of its own. */
  processes: number;
  /** Maximum estimated memory of all images in work. */
  memoryBytes: number;
}

/** The process is killed when the task exceeds `limits`. */
export interface TaskContext {
  /** The account whose image it is. */
  owner: string;
  signal: AbortSignal;
  estimatedBytes: number;
  limits: TaskLimits;
  /** Called when a process has taken the task. */
  onStart?: (() => void) | undefined;
}

/**
 * Runs image work in child processes, so that no image can block or crash this process or exceed
 * its limits.
 */
export interface ImagePool<T extends Tasks> extends AsyncDisposable {
  /** For metrics. A task that waits for memory holds a process already. */
  readonly limits: Readonly<Record<'processes' | 'memory', Pick<Limit, 'held' | 'waiting'>>>;
  /**
   * Waits for a process and then for memory, with the owner that holds least first, and runs the
   * task.
   * @throws what {@link ImageProcess.run} throws
   */
  run<Name extends keyof T & string>(
    task: Name,
    input: Parameters<T[Name]>[0],
    context: TaskContext,
  ): Promise<Awaited<ReturnType<T[Name]>>>;
}

/**
 * RSS before the first image, which estimates include. What an idle process holds above it was
 * retained by malloc.
 */
const FRESH_RSS_BYTES = 130e6;
/** A process with more RSS than this is ended instead of being reused. */
const IDLE_RSS_BYTES = 300e6;

/** Opens the pool. Rejects when a first process does not start. */
export async function openImagePool<T extends Tasks>(options: PoolOptions): Promise<ImagePool<T>> {
  const { entry, processes, memoryBytes } = options;
  const memoryLimit = createLimit({ total: memoryBytes, perOwner: memoryBytes });
  const processLimit = createLimit({ total: processes, perOwner: processes });
  const running = new Set<ImageProcess>();
  const idle: ImageProcess[] = [await start()];

  async function start(): Promise<ImageProcess> {
    const process = await startImageProcess(entry);
    running.add(process);
    return process;
  }

  /**
   * An idle process that is alive, and whose retained memory and this image are within the limit;
   * else a new one.
   */
  async function take({ estimatedBytes, limits }: TaskContext): Promise<ImageProcess> {
    for (let process = idle.pop(); process !== undefined; process = idle.pop()) {
      const retained = Math.max(0, process.rssBytes() - FRESH_RSS_BYTES);
      if (process.alive && retained + estimatedBytes <= limits.rssBytes) return process;
      await end(process);
    }
    return start();
  }

  async function end(process: ImageProcess): Promise<void> {
    running.delete(process);
    await process[Symbol.asyncDispose]();
  }

  return {
    limits: { processes: processLimit, memory: memoryLimit },

    async run(task, input, context) {
      const { owner, signal, estimatedBytes, limits, onStart } = context;
      // In this order, so that no task holds memory while it waits for a process.
      using _process = await acquireUnlessAborted(processLimit, owner, 1, signal);
      using _memory = await acquireUnlessAborted(memoryLimit, owner, estimatedBytes, signal);
      const process = await take(context);
      onStart?.();
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
