interface Stream {
  on(event: 'error', listener: (error: Error) => void): unknown;
}

/** Goes on when the reader of the output, such as `head`, has ended. */
export function outliveReader(stream: Stream): void {
  stream.on('error', (error) => {
    if (!('code' in error) || error.code !== 'EPIPE') throw error;
  });
}
