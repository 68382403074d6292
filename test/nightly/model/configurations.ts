/** What TLC searches: a module with values for its constants. */
export interface Configuration {
  module: 'Acceptance' | 'Ending';
  constants: Readonly<Record<string, boolean | number | readonly (string | number)[]>>;
  /** Invariants, or the property that something happens at last. */
  checks: readonly string[];
  /** The one of them that does not hold. */
  violated?: string;
}

const REQUEST_MECHANISMS = [
  'ownRefusal',
  'fenceRefusal',
  'fenceUnknown',
  'workerFence',
  'withdrawn',
  'sentAt',
] as const;
type RequestMechanism = (typeof REQUEST_MECHANISMS)[number];
const REQUEST_FAULTS = [
  ...['mongo', 'timeout', 'copy', 'kill', 'hook', 'worker', 'reset', 'terminate', 'forget', 'delete'],
  ...['other', 'week'],
];
const OF_REQUESTS = [
  ...['LedgerIsBalance', 'ReversedOnce', 'OneCharge', 'RowIsJob', 'StatusIsLedger', 'Created', 'NotFound'],
  ...['TooDear', 'RefusedIsFree', 'Undone'],
];

/** Two requests of two clients, unless the changes say otherwise. */
function requests(
  MaxFaults: number,
  Faults: readonly string[] = REQUEST_FAULTS,
  changes: Configuration['constants'] = {},
): Configuration {
  const sizes = { Balance: 2, MaxRequests: 3, MaxTries: 2 };
  const constants = { Requests: ['a1', 'b1'], TwoBodies: false, ...sizes, MaxFaults, Faults };
  const Mechanisms = REQUEST_MECHANISMS;
  return { module: 'Acceptance', constants: { ...constants, Mechanisms, ...changes }, checks: OF_REQUESTS };
}
const withoutIn = (...off: RequestMechanism[]) => ({
  Mechanisms: REQUEST_MECHANISMS.filter((mechanism) => !off.includes(mechanism)),
});
const TWO_BODIES = { TwoBodies: true };

const JOB_MECHANISMS = [
  ...(['whileProcessing', 'asListed', 'cancelLate', 'removeNamed', 'beats', 'goesOn', 'reconciler'] as const),
];
type JobMechanism = (typeof JOB_MECHANISMS)[number];
const JOB_FAULTS = [
  ...['unavailable', 'refused', 'mongo', 'pause', 'late', 'crash', 'terminate', 'reset', 'stop', 'lost'],
  ...['cancel', 'delete', 'void'],
];
const allBut = (...kinds: string[]) => JOB_FAULTS.filter((kind) => !kinds.includes(kind));
const OF_JOBS = ['OneEnd', 'ResultIsThere', 'PaidTwiceAtMost', 'NoCallAfterEnd', 'CancelledUnasked'];

/** Three attempts of one job. @param Tasks whether the upstream has tasks; otherwise a call is one request */
function job(
  Tasks: boolean,
  MaxFaults: number,
  Faults: readonly string[] = JOB_FAULTS,
  checks: readonly string[] = [],
  off?: JobMechanism,
): Configuration {
  const Mechanisms = JOB_MECHANISMS.filter((mechanism) => mechanism !== off);
  const constants = { Attempts: [1, 2, 3], Tasks, MaxFaults, Faults, Mechanisms };
  return { module: 'Ending', constants, checks: off === undefined ? [...OF_JOBS, ...checks] : checks };
}
const ends = (configuration: Configuration): Configuration => ({ ...configuration, checks: ['AllEnd'] });
const breaks = (violated: string, configuration: Configuration): Configuration => ({
  ...configuration,
  checks: [violated],
  violated,
});

/** By the name that docs/model/README.md gives them. */
export const CONFIGURATIONS: Readonly<Record<string, Configuration>> = {
  'two requests': requests(3),
  'three requests': requests(2, REQUEST_FAULTS, { Requests: ['a1', 'a2', 'b1'] }),
  'two bodies': requests(3, REQUEST_FAULTS, TWO_BODIES),
  'full list': requests(1, REQUEST_FAULTS, {
    Requests: ['a1', 'a2', 'b1', 'b2'],
    Balance: 1,
    MaxRequests: 2,
  }),
  'requests end': ends(requests(2, REQUEST_FAULTS, { Balance: 1, MaxRequests: 2 })),
  'without the worker’s fence': requests(2, REQUEST_FAULTS, { Balance: 1, ...withoutIn('workerFence') }),
  'without own refusals': breaks(
    'TooDear',
    requests(1, ['other'], { ...TWO_BODIES, ...withoutIn('ownRefusal') }),
  ),
  'without fenced conflicts': breaks(
    'RefusedIsFree',
    requests(2, ['hook', 'copy'], { ...TWO_BODIES, ...withoutIn('fenceRefusal') }),
  ),
  'without both': breaks(
    'RefusedIsFree',
    requests(2, ['other', 'copy'], { ...TWO_BODIES, ...withoutIn('ownRefusal', 'fenceRefusal') }),
  ),
  'without fenced 5xx': breaks('Undone', requests(2, REQUEST_FAULTS, withoutIn('fenceUnknown'))),
  'without withdrawn requests': breaks('Undone', requests(3, ['mongo', 'hook'], withoutIn('withdrawn'))),
  'without the time of sending': breaks(
    'Undone',
    requests(2, ['timeout', 'week'], { Requests: ['a1'], ...withoutIn('sentAt') }),
  ),
  'a killed replay': breaks('UndoneAlways', requests(2, ['hook', 'kill'])),
  'a full list': breaks(
    'UndoneAlways',
    requests(3, ['hook'], { Requests: ['a1', 'a2', 'b1'], MaxRequests: 2 }),
  ),

  tasks: job(true, 2),
  'one request': job(false, 2),
  'tasks are paid once': job(true, 2, allBut('crash', 'pause', 'stop'), ['PaidOnce']),
  'one request is paid once': job(false, 2, allBut('crash', 'pause', 'stop', 'unavailable'), ['PaidOnce']),
  'no task is left': job(true, 2, allBut('crash'), ['NoTaskLeft']),
  'no result is left': job(true, 2, allBut('crash', 'mongo'), ['NoResultLeft']),
  'no named result is left': job(
    true,
    3,
    ['unavailable', 'refused', 'crash', 'stop', 'lost', 'cancel'],
    ['NoNamedResultLeft'],
  ),
  'jobs with tasks end': ends(job(true, 2)),
  'jobs with one request end': ends(job(false, 2)),
  'without `processing` in the filter': breaks(
    'NoCallAfterEnd',
    job(true, 2, JOB_FAULTS, [], 'whileProcessing'),
  ),
  'without the listed calls in the filter': breaks('PaidOnce', job(true, 1, ['late'], [], 'asListed')),
  'without cancelling a late task': breaks('NoTaskLeft', job(true, 2, allBut('crash'), [], 'cancelLate')),
  'without removing named results': breaks(
    'NoNamedResultLeft',
    job(true, 2, ['crash', 'stop'], [], 'removeNamed'),
  ),
  'without beats': breaks('PaidOnce', job(false, 1, ['late'], [], 'beats')),
  'without going on': breaks('PaidOnce', job(false, 1, ['late'], [], 'goesOn')),
  'without a reconciler, a task': breaks('NoTaskLeft', job(true, 1, ['terminate'], [], 'reconciler')),
  'without a reconciler, a job': breaks('AllEnd', job(true, 1, ['terminate'], [], 'reconciler')),
  'a result without a job': breaks('NoResultLeft', job(true, 2, ['terminate', 'mongo'])),
};
