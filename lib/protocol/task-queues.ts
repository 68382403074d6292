/** Task queue names of one deployment. Tests use a prefix of their own. */
export const taskQueues = (prefix: string) => ({
  jobs: `${prefix}jobs`,
  images: `${prefix}images`,
  webhooks: `${prefix}webhooks`,
});
export type TaskQueues = ReturnType<typeof taskQueues>;
