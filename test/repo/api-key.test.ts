import { describe, expect, test } from 'vitest';
import { digestApiKey, issueApiKey, isWellFormedApiKey } from '../../lib/domain/api-key.ts';

describe('an API key', () => {
  test('carries its prefix, 43 characters of secret and 6 of checksum', () => {
    expect(issueApiKey('ija_')).toMatch(/^ija_[0-9A-Za-z]{49}$/);
  });

  test('is malformed when any one character is changed or missing', () => {
    const key = issueApiKey('ija_');
    expect(isWellFormedApiKey('ija_', key)).toBe(true);
    for (let at = 0; at < key.length; at += 1) {
      const other = key[at] === 'x' ? 'y' : 'x';
      expect(isWellFormedApiKey('ija_', key.slice(0, at) + other + key.slice(at + 1))).toBe(false);
      expect(isWellFormedApiKey('ija_', key.slice(0, at) + key.slice(at + 1))).toBe(false);
    }
    expect(isWellFormedApiKey('other_', key)).toBe(false);
  });

  test('is unique, and stored as a digest', () => {
    const keys = Array.from({ length: 500 }, () => issueApiKey('ija_'));
    expect(new Set(keys).size).toBe(500);
    expect(digestApiKey(keys[0] ?? '')).toMatch(/^[0-9a-f]{64}$/);
  });
});
