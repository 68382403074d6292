/** Search attributes of the workflows. `operator setup` registers them. */
export const ACCOUNT_ID = { name: 'AccountId', type: 'KEYWORD' } as const;
/** The account's name at the time of the job, so that a list of workflows is readable. */
export const ACCOUNT_NAME = { name: 'AccountName', type: 'KEYWORD' } as const;
export const TOOL = { name: 'Tool', type: 'KEYWORD' } as const;
export const JOB_STATUS = { name: 'JobStatus', type: 'KEYWORD' } as const;
export const SEARCH_ATTRIBUTES = [ACCOUNT_ID, ACCOUNT_NAME, TOOL, JOB_STATUS] as const;
