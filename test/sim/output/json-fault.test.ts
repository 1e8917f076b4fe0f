import { describe, expect, test } from 'vitest';
import { jsonFaultAt } from '../../../sim/output/json-fault.ts';

describe('the place of a fault in JSON', () => {
  test.each([
    ['{"a": 1, "b": [1, 2', 19, 'the end of a text that ends too early'],
    ['{"a": "tru', 10, 'the end of a string that is cut off'],
    ['{"a": tru', 9, 'the end of a word that is cut off'],
    ['', 0, 'the beginning of nothing'],
    ['{"a" 1}', 5, 'what stands in place of a colon'],
    ['{"a": 1 "b": 2}', 8, 'what stands in place of a comma'],
    ['[1, 2,]', 6, 'a bracket behind a comma'],
    ['{"a": 1,}', 8, 'a brace behind a comma'],
    ['[1}', 2, 'a bracket that closes another'],
    ['[01]', 2, 'a second digit behind 0'],
    ["{'a': 1}", 1, 'a quote that is none'],
    ['{} {}', 3, 'a second document'],
    ['[nul, 1]', 1, 'a word that JSON does not have'],
    ['["a\nb"]', 1, 'a string over two lines'],
  ])('of %j is %i: %s', (text, offset) => {
    expect(() => JSON.parse(text)).toThrow();
    expect(jsonFaultAt(text)).toBe(offset);
  });
});
