export const repeat = (bytes: Buffer, times: number): Buffer => Buffer.alloc(bytes.length * times, bytes);
