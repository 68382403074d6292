import { ApplicationFailure } from '@temporalio/common';
import { beforeEach, expect, test } from 'vitest';
import { createLogger } from '../../../lib/process/log.ts';
import { temporalLogger } from '../../../lib/telemetry/temporal-logger.ts';
import { keptLog } from '../../setup/kept-log.ts';

const log = keptLog();
const logger = temporalLogger(createLogger({ level: 'trace', pretty: false }, 'worker', log));
beforeEach(() => {
  log.text = '';
});

const last = () => JSON.parse(log.text.trim().split('\n').at(-1) ?? '{}');

test('an entry keeps its plain fields, and none that may hold what a client has sent', () => {
  logger.trace('Received activation', {
    taskQueue: 'jobs',
    attempt: 2,
    isLocal: true,
    jobs: [{ initializeWorkflow: { arguments: [{ data: 'the prompt' }] } }],
    start: { input: 'the prompt' },
  });
  expect(last()).toMatchObject({ level: 10, taskQueue: 'jobs', attempt: 2, isLocal: true });
  expect(log.text).not.toContain('the prompt');
});

test('an entry of the native part of the SDK keeps its error, which is a text', () => {
  const meta = {
    sdkComponent: 'core',
    target: 'temporal_sdk_core',
    error: 'Some requested entity was not found',
  };
  logger.log('WARN', 'Task not found when completing', meta);
  expect(last()).toMatchObject({ level: 40, ...meta });
});

test('a failure is logged with type, message and stack, and without its details', () => {
  const error = ApplicationFailure.create({
    type: 'render_error',
    message: 'The store failed.',
    details: ['secret'],
  });
  logger.warn('Activity failed', { error, activityType: 'renderJob' });
  expect(last()).toMatchObject({
    activityType: 'renderJob',
    err: { type: 'ApplicationFailure', code: 'render_error', message: 'The store failed.' },
  });
  expect(log.text).not.toContain('secret');
});

test.each(['generator_refused', 'generator_unavailable', 'generator_misconfigured'])(
  'the message of %s is not logged, because it quotes the upstream',
  (type) => {
    const cause = Object.assign(new Error('openai: the prompt'), { name: 'GeneratorError' });
    const error = ApplicationFailure.create({ type, message: cause.message, cause });
    logger.warn('Activity failed', { error });
    expect(last()).toMatchObject({ err: { code: type, cause: { type: 'GeneratorError' } } });
    expect(log.text).not.toContain('the prompt');
  },
);
