/** Search attributes of the workflows. `operator setup` registers them. */
export const ACCOUNT_ID = { name: 'AccountId', type: 'KEYWORD' } as const;
/** So that the rows of a list can be read; the name at the time of the job. */
export const ACCOUNT_NAME = { name: 'AccountName', type: 'KEYWORD' } as const;
export const TOOL = { name: 'Tool', type: 'KEYWORD' } as const;
export const JOB_STATUS = { name: 'JobStatus', type: 'KEYWORD' } as const;
export const SEARCH_ATTRIBUTES = [ACCOUNT_ID, ACCOUNT_NAME, TOOL, JOB_STATUS] as const;
