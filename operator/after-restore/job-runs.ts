import { type Client, isGrpcServiceError, type WorkflowExecutionInfo } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import type { Acceptance, JobDraft } from '../../lib/domain/records.ts';
import { JOB_WORKFLOW, type JobInput, type JobResult } from '../../lib/protocol/job.ts';
import type { RenderReport } from '../../lib/protocol/render.ts';
import { taskQueues } from '../../lib/protocol/task-queues.ts';
import type { RestoredJob } from '../../lib/stores/job-store.ts';
import { sentenceOf } from '../errors.ts';

/** Runs per page, whose first events are read at the same time. */
const PAGE = 50;
/** Deadline of one call to Temporal. */
const CALL_MS = 20_000;
/** grpc.status */
const NOT_FOUND = 5;

/** One run of a job's workflow. */
export interface JobRun {
  workflowId: string;
  runId: string;
  createdAt: Date;
  isOpen: boolean;
  draft: JobDraft;
}

/** What the history of a run says about its job. */
export interface RunFacts {
  /** The job was accepted and charged by this run. */
  accepted: boolean;
  /** Set when its render brought a result. */
  end: RestoredJob['end'];
  /** The job was completed with that result, as far as the workflow knows. */
  completed: boolean;
  /** The render failed, or the workflow ended without a result. */
  failed: boolean;
}

/** A run whose history cannot be read. */
export interface UnreadRun {
  workflowId: string;
  problem: string;
}

/**
 * The runs that were open at some time since then, in pages, without runs that are deleted
 * meanwhile.
 */
export async function* jobRuns(
  client: Client,
  prefix: string,
  since: Date,
): AsyncGenerator<(JobRun | UnreadRun)[]> {
  const read = async (infos: readonly WorkflowExecutionInfo[]) =>
    (await Promise.all(infos.map((info) => readStart(client, info)))).filter((run) => run !== undefined);
  const query =
    `WorkflowType = "${JOB_WORKFLOW}" AND TaskQueue = "${taskQueues(prefix).jobs}" ` +
    `AND (CloseTime >= "${since.toISOString()}" OR ExecutionStatus = "Running")`;
  let page: WorkflowExecutionInfo[] = [];
  for await (const info of client.workflow.list({ query, pageSize: PAGE })) {
    page.push(info);
    if (page.length < PAGE) continue;
    yield await read(page);
    page = [];
  }
  yield await read(page);
}

async function readStart(
  client: Client,
  { workflowId, runId, startTime: createdAt, status }: WorkflowExecutionInfo,
): Promise<JobRun | UnreadRun | undefined> {
  try {
    const { history } = await client.withDeadline(Date.now() + CALL_MS, () =>
      client.workflowService.getWorkflowExecutionHistory({
        namespace: client.options.namespace,
        execution: { workflowId, runId },
        maximumPageSize: 1,
      }),
    );
    const started = history?.events?.[0]?.workflowExecutionStartedEventAttributes;
    const { draft } = decode<JobInput>(started?.input);
    return { workflowId, runId, createdAt, isOpen: status.name === 'RUNNING', draft };
  } catch (error) {
    if (isGrpcServiceError(error) && error.code === NOT_FOUND) return undefined;
    return { workflowId, problem: sentenceOf(error) };
  }
}

/** Reads the whole history, which has about 20 events. */
export async function readFacts(
  client: Client,
  { workflowId, runId, draft, isOpen }: JobRun,
): Promise<RunFacts> {
  const { events } = await client.withDeadline(Date.now() + CALL_MS, () =>
    client.workflow.getHandle(workflowId, runId).fetchHistory(),
  );
  const renders = new Set<string>();
  const facts: RunFacts = { accepted: false, end: null, completed: false, failed: false };
  for (const event of events ?? []) {
    const {
      workflowExecutionUpdateCompletedEventAttributes: update,
      activityTaskScheduledEventAttributes: scheduled,
      activityTaskCompletedEventAttributes: completed,
      workflowExecutionCompletedEventAttributes: ended,
    } = event;
    if (update?.outcome?.success) {
      const outcome = decode<Acceptance>(update.outcome.success);
      if (outcome.outcome === 'accepted' && outcome.jobId === draft.jobId) facts.accepted = true;
    }
    if (scheduled?.activityType?.name === 'renderJob') renders.add(String(event.eventId));
    if (completed && renders.has(String(completed.scheduledEventId))) {
      const report = decode<RenderReport>(completed.result);
      const { results, processingMs, generator } = report;
      const completedAt = dateOf(event.eventTime);
      facts.end = { completedAt, results, processingMs, ...(generator === undefined ? {} : { generator }) };
      facts.completed = report.end?.status === 'completed';
    }
    const failed =
      event.activityTaskFailedEventAttributes ??
      event.activityTaskTimedOutEventAttributes ??
      event.activityTaskCanceledEventAttributes;
    if (failed && renders.has(String(failed.scheduledEventId))) facts.failed = true;
    if (ended) facts.completed = decode<JobResult>(ended.result).status === 'completed';
  }
  return { ...facts, failed: facts.failed || (!isOpen && !facts.completed) };
}

type Payloads = { payloads?: Parameters<typeof defaultPayloadConverter.fromPayload>[0][] | null };

/** @throws Error if there is no payload */
function decode<T>(value: Payloads | null | undefined): T {
  const [payload] = value?.payloads ?? [];
  if (payload === undefined) throw new Error('The history of a workflow lacks a payload.');
  return defaultPayloadConverter.fromPayload<T>(payload);
}

const dateOf = (time: { seconds?: unknown; nanos?: number | null } | null | undefined) =>
  new Date(Number(time?.seconds ?? 0) * 1000 + Math.floor((time?.nanos ?? 0) / 1e6));
