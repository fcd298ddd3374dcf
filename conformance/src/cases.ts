import { type ContractName, CONTRACTS, type Part } from './case.js';
import { chatCases } from './chat/cases.js';
import { embeddingsCases } from './embeddings/cases.js';
import { messagesCases } from './messages/cases.js';
import { optionFor } from './report.js';
import { responsesCases } from './responses/cases.js';
import type { Chosen } from './run-cases.js';

/** The acceptance cases of each contract, in parts. */
const CASES: Readonly<Record<ContractName, readonly Part[]>> = {
  chat: chatCases,
  messages: messagesCases,
  responses: responsesCases,
  embeddings: embeddingsCases,
};

/** The parts of the contracts and numbers that were chosen. */
export const choose = (contracts: readonly ContractName[], cases?: ReadonlySet<number>): Chosen[] =>
  contracts.flatMap((contract) => CASES[contract].filter(({ number }) => cases?.has(number) ?? true).map((part) => ({ contract, part })));

const PROMISES_SHOWN = 3;

/** Rows of a Markdown table: number, what is promised, what the case needs. */
function tableOf(contract: ContractName): string[] {
  const numbers = [...new Set(CASES[contract].map(({ number }) => number))].toSorted((a, b) => a - b);
  return numbers.map((number) => {
    const parts = CASES[contract].filter((part) => part.number === number);
    const more = parts.length > PROMISES_SHOWN ? `; and ${parts.length - PROMISES_SHOWN} more` : '';
    const promises = parts.slice(0, PROMISES_SHOWN).map(({ promise }) => promise.replaceAll('|', '\\|'));
    const needs = [...new Set(parts.flatMap((part) => part.needs ?? []))].map((need) => `\`${optionFor(need)}\``);
    return `| ${number} | ${promises.join('; ')}${more} | ${needs.join(', ')} |`;
  });
}

/** All cases, in tables of Markdown. */
export function listOfCases(): string {
  const tables = CONTRACTS.map((contract) => [
    `### ${contract}`,
    '',
    '| # | promise | needs |',
    '| --- | --- | --- |',
    ...tableOf(contract),
  ]);
  return tables.map((lines) => lines.join('\n')).join('\n\n');
}
