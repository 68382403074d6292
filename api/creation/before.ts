/** The outcome of the work, unless the deadline (epoch milliseconds) comes first; then the work goes on unheard. */
export async function before<T>(deadline: number, work: Promise<T>, late: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const up = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), deadline - Date.now());
  });
  try {
    return await Promise.race([work, up]);
  } finally {
    clearTimeout(timer);
  }
}
