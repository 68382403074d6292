import type { Pace } from './receiver-pace.ts';

const SHORTEST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 15 * 60_000;
/** More deliveries are scheduled than slots are expected, so that no slot stays empty. */
const OVERBOOKING = 1.5;

/**
 * When a delivery that found no slot should try again: behind those that are already waiting, at the rate at which its
 * receiver frees slots. So the number of tries stays close to the number of slots, however many deliveries wait.
 * @returns milliseconds, with a jitter of a quarter either way
 */
export function nextTurn(pace: Pace, share: number, now: number): number {
  const turn = Math.max(pace.lastTurn, now) + pace.ms / share / OVERBOOKING;
  pace.lastTurn = Math.min(turn, now + LONGEST_WAIT_MS);
  return Math.max(SHORTEST_WAIT_MS, pace.lastTurn - now) * (0.75 + Math.random() / 2);
}
