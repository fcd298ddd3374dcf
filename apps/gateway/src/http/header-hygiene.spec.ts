import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { bodyFault, headerFault } from './header-hygiene.js';

const faultOf = (type: string): string | undefined => bodyFault({ headers: { 'content-type': type } } as IncomingMessage, 10)?.code;

describe('the content type of a body', () => {
  it.each([
    'application/json',
    'Application/JSON',
    'application/json;',
    'application/json ; ',
    'application/json;charset=utf-8',
    'application/json; charset="UTF-8"',
    'application/json\t; charset = utf-8 ;',
  ])('may be JSON as in %j', (type) => {
    expect(faultOf(type)).toBeUndefined();
  });

  it.each([
    '',
    ';',
    'text/json',
    'application/jsonl',
    'application/json charset=utf-8',
    'application/json; charset=latin1',
    'application/json; charset=',
    'application/json; charset=utf-8; charset=latin1',
    'application/json; version=1',
    'application/json, text/plain',
  ])('may not be as in %j', (type) => {
    expect(faultOf(type)).toBe('unsupported_media_type');
  });

  // Trying each way to share the blanks out would take longer than a test may.
  it.each(['x', ';x', ';charset=x'])('is read in linear time before %j', (end) => {
    expect(faultOf(`application/json${' '.repeat(1_000_000)}${end}`)).toBe('unsupported_media_type');
    expect(faultOf(`application/json;charset=utf-8${' '.repeat(1_000_000)}${end}`)).toBe('unsupported_media_type');
  });
});

describe('headers', () => {
  const fault = (...names: string[]): string | undefined => {
    const rawHeaders = ['Host', 'x', ...names.flatMap((name) => [name, 'x'])];
    return headerFault({ rawHeaders, headers: { host: 'x' }, httpVersion: '1.1' } as unknown as IncomingMessage)?.error.message;
  };

  it.each(['host', 'HOST'])('that route a request appear once: %s', (name) => {
    expect(fault(name)).toBe('The header "host" appears more than once.');
  });

  it.each(['Content-Type', 'content-LENGTH', 'Transfer-Encoding'])('that frame a body appear once: %s', (name) => {
    expect(fault(name)).toBeUndefined();
    expect(fault(name, name.toUpperCase())).toBe(`The header "${name.toLowerCase()}" appears more than once.`);
  });

  it('of other names may appear repeatedly', () => {
    expect(fault('Accept', 'Accept', 'Vary', 'Date', 'Date')).toBeUndefined();
  });
});
