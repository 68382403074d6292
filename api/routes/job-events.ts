import { Readable } from 'node:stream';
import { Type } from 'typebox';
import { jobNotFound } from '../../lib/contract/api-errors.ts';
import { WAITING } from '../../lib/contract/limits.ts';
import { JobId } from '../../lib/contract/schemas.ts';
import { presentJob } from '../../lib/domain/present.ts';
import { errorResponses, type Route } from '../http/operation.ts';
import { bindJob } from '../http/request-telemetry.ts';
import { eventsOf } from '../waiting/event-stream.ts';
import { findBrief } from '../waiting/prefer.ts';

/** Has no type, because tools disagree on whether a schema describes the stream or one event. */
const Events = Type.Unsafe<Readable>({});

/** GET /v1/jobs/{id}/events: the current state of a job and its end, as server-sent events. */
export const jobEventsRoute: Route = (app, { stores, images, waiters, usualTimes }) =>
  app.get(
    '/v1/jobs/:id/events',
    {
      config: { group: 'read-job', scope: 'jobs', streamMs: WAITING.streamMs },
      schema: {
        operationId: 'streamJobEvents',
        summary: 'Follow a job',
        description: `Tells the end of a job as soon as it comes. The stream ends with it, or after ${WAITING.streamMs / 60_000} minutes, or when the server restarts; an EventSource then connects again by itself, and is stopped by 204 if it has received the end. Ends after the current status if too many requests of the account wait. Counts as one read of the job.`,
        params: Type.Object({ id: JobId }),
        headers: Type.Object({
          'last-event-id': Type.Optional(
            Type.String({
              description: 'Id of the last event that was received: the status in it is not repeated.',
            }),
          ),
        }),
        response: {
          200: { description: 'Server-sent events.', content: { 'text/event-stream': { schema: Events } } },
          204: Type.Null({ description: 'The job has ended, and the client has received its end.' }),
          ...errorResponses(['job_not_found']),
        },
      },
    },
    async (request, reply) => {
      const { accountId, keyId } = request.caller;
      const jobId = request.params.id.toLowerCase();
      const lastEventId = request.headers['last-event-id'];
      const isRevoked = () => stores.keys.isRevoked(keyId);
      const waiting = { accountId, jobId, response: reply.raw, isRevoked };
      const waiter = request.method === 'HEAD' ? undefined : await waiters.register('events', waiting);
      const found = await findBrief(stores.jobs, accountId, jobId);
      if (found === undefined) throw jobNotFound();
      bindJob(request, jobId);
      usualTimes.saw(found);
      if (found.status !== 'processing' && found.status === lastEventId) return reply.code(204).send(null);
      const present = (job: typeof found) => presentJob(job, images);
      const events = eventsOf({ job: found, waiter, lastEventId, usualTimes, present });
      // Proxies must not collect the events.
      reply.headers({ 'Content-Type': 'text/event-stream', 'X-Accel-Buffering': 'no' });
      return reply.code(200).send(Readable.from(events, { objectMode: false }));
    },
  );
