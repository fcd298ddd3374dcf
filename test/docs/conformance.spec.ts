import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { listOfCases } from '../../conformance/src/cases.js';
import { OTHERS } from '../../conformance/src/case.js';
import { MODELS } from '../../conformance/src/engine.js';

const PAGE = readFileSync(new URL('../../docs/conformance.md', import.meta.url), 'utf8');

it('docs/conformance.md lists the cases as they are in the code', () => {
  const [, listed] = /<!-- cases -->\n([^]*?)\n<!-- \/cases -->/.exec(PAGE) ?? [];
  expect(listed, 'npm run -s conformance -- --list gives the tables').toBe(listOfCases());
});

it('docs/conformance.md names every model of the engine and every deployment', () => {
  for (const name of [...Object.values(MODELS).map((model) => `\`${model}\``), ...Object.keys(OTHERS)]) expect(PAGE).toContain(name);
});
