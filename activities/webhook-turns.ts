import type { Pace } from './receiver-pace.ts';

const SHORTEST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 15 * 60_000;
/** More are told to come than there will be slots, so that none stays empty. */
const OVERBOOKING = 1.5;

/**
 * When a delivery that found no slot should ask again: after those that were sent away before it, one for each slot
 * that its receiver's pace will have freed by then. So however many wait, they ask hardly more often than they are served.
 * @returns milliseconds, at random by a quarter either way
 */
export function nextTurn(pace: Pace, share: number, now: number): number {
  const turn = Math.max(pace.lastTurn, now) + pace.ms / share / OVERBOOKING;
  pace.lastTurn = Math.min(turn, now + LONGEST_WAIT_MS);
  return Math.max(SHORTEST_WAIT_MS, pace.lastTurn - now) * (0.75 + Math.random() / 2);
}
