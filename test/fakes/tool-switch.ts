import type { ToolSwitch } from '../../api/api-switch.ts';

/** A switch that the test sets: the tools in `disabled` are off. */
export const fakeToolSwitch = (disabled: ReadonlySet<string>): ToolSwitch & AsyncDisposable => ({
  isDisabled: (slug) => disabled.has(slug),
  [Symbol.asyncDispose]: async () => {},
});
