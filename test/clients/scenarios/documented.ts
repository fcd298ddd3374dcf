import { expect, it } from 'vitest';
import { type Example, runExample } from '../stage/documented.js';
import type { Company } from './company.js';

/** Each example gets the answer that the page promises, or at least makes its client. */
export function describeExamples(company: Company, examples: readonly Example[]): void {
  it.each(examples.map((example) => [example.number, example.packages.join(', '), example] as const))(
    'example %i of %s does what the page says',
    async (_, packages, example) => {
      const { stderr, exitCode } = await runExample(company.packages, example, company.stage.at('vllm', 'alias'));
      expect({ packages, exitCode, stderr: exitCode === 0 ? '' : stderr }).toEqual({ packages, exitCode: 0, stderr: '' });
    },
  );
}
