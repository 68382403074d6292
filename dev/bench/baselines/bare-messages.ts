import { defineUpdate } from '@temporalio/workflow';

export const BARE_WORKFLOW = 'bareWorkflow';
export const acceptBare = defineUpdate<string>('accept');

export interface BareActivities {
  nothing(): Promise<void>;
}
