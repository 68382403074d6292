interface Stream {
  on(event: 'error', listener: (error: Error) => void): unknown;
}

/** Photos are still edited when what reads the output, such as `head`, has ended. */
export function outliveReader(stream: Stream): void {
  stream.on('error', (error) => {
    if (!('code' in error) || error.code !== 'EPIPE') throw error;
  });
}
