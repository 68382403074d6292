import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../../lib/process/config/config.ts';
import { REQUIRED } from '../../setup/required.ts';

const ENDPOINT = 'http://collector:4318';
const load = (env: Record<string, string>) =>
  loadConfig({ ...REQUIRED, OTEL_EXPORTER_OTLP_ENDPOINT: ENDPOINT, ...env }).tracing;

describe('the variables of traces', () => {
  test('send none by default', () => {
    expect(loadConfig(REQUIRED).tracing).toBeNull();
  });

  test('need no more than an endpoint', () => {
    expect(load({})).toEqual({ url: `${ENDPOINT}/v1/traces`, headers: {}, serviceName: '', ratio: 1 });
  });

  test.each(['0', '0.25', '1.0'])('trace the share %s of the requests', (OTEL_TRACES_SAMPLER_ARG) => {
    expect(load({ OTEL_TRACES_SAMPLER_ARG })?.ratio).toBe(Number(OTEL_TRACES_SAMPLER_ARG));
  });

  test('are explained', () => {
    const endpoint =
      'OTEL_EXPORTER_OTLP_ENDPOINT: must be an http:// or https:// URL without credentials and query';
    expect(() => load({ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' })).toThrow(endpoint);
    const share = 'OTEL_TRACES_SAMPLER_ARG: must be a number from 0 to 1, not "1.5"';
    expect(() => load({ OTEL_TRACES_SAMPLER_ARG: '1.5' })).toThrow(share);
  });

  test.each([
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://user:secret@collector:4318'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'api-key'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'api-key=%zz'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'api-key=a%0d%0ahost: x'],
    ['OTEL_TRACES_SAMPLER_ARG', '1.5'],
    ['OTEL_TRACES_SAMPLER_ARG', 'half'],
  ])('are checked: %s=%s', (name, value) => {
    expect(() => load({ [name]: value })).toThrow(name);
  });

  test('are reported without the headers, which may be secret', () => {
    expect(() => load({ OTEL_EXPORTER_OTLP_HEADERS: 'sk-secret' })).not.toThrow('sk-secret');
    expect(() => load({ OTEL_EXPORTER_OTLP_HEADERS: 'sk-secret' })).toThrow();
  });
});
