import { createGrowingBuffer, filled, reserve } from './growing-buffer.ts';

const LF = 0x0a;
const USUAL_LENGTH = 256;

export interface LineReader {
  /** Reads to the end of the line or of the chunk. @returns the index of the next byte, or undefined above the limit */
  read(chunk: Buffer, start: number): number | undefined;
  /** Whether the line has its LF. */
  isComplete(): boolean;
  /** What was read of the line, with its LF. The next line starts after it. */
  take(): string;
}

/** Reads lines that arrive in chunks. @param limit most bytes of a line */
export function createLineReader(limit: number): LineReader {
  const line = createGrowingBuffer(limit, USUAL_LENGTH);
  return {
    read(chunk, start) {
      const end = chunk.indexOf(LF, start) + 1 || chunk.length;
      if (!reserve(line, end - start)) return undefined;
      line.length += chunk.copy(line.store, line.length, start, end);
      return end;
    },
    isComplete: () => line.store[line.length - 1] === LF,
    take() {
      const text = filled(line).toString('utf8');
      line.length = 0;
      return text;
    },
  };
}
