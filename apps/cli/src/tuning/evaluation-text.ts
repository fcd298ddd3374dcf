import { type EvaluationView, Grader, type GraderResult } from '@slipway/contracts';
import { UsageError } from '../cli-errors.js';
import type { Cell } from '../table.js';

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
const signed = (points: number): string => `${points > 0 ? '+' : ''}${points.toFixed(1)}`;

/** A difference with what is known of it: `+6.0 points (95 % -1.5 to +13.2, 100 items: not certain)`. */
export function deltaText(delta: GraderResult['delta']): string | null {
  if (delta === null) return null;
  const range = `95 % ${signed(delta.low)} to ${signed(delta.high)}, ${delta.items} items`;
  return `${signed(delta.points)} points (${range}: ${delta.is_certain ? 'certain' : 'not certain'})`;
}

/** Rows of the results: deployment, grader, share with its interval, difference to the baseline. */
export function resultRows({ deployments, graders, results }: EvaluationView): Cell[][] {
  const kindOf = (place: number): string => graders[place]?.kind ?? `grader ${place + 1}`;
  return results.flatMap((result, at) => {
    const name = deployments[at]?.name ?? `deployment-${result.deployment}`;
    const passed = result.graders.map(({ grader, passed: count, of, rate, delta }): Cell[] => {
      const share = rate && `${percent(rate.share)} (95 % ${percent(rate.low)} to ${percent(rate.high)})`;
      return [name, kindOf(grader), `${count} of ${of}`, share, at === 0 ? 'baseline' : deltaText(delta)];
    });
    const preferred = result.preferences.map(({ grader, wins, losses, ties, rate }): Cell[] => {
      const share = rate && `${percent(rate.share)} (95 % ${percent(rate.low)} to ${percent(rate.high)})`;
      return [name, kindOf(grader), `${wins} won, ${losses} lost, ${ties} tied`, share, null];
    });
    return [...passed, ...preferred];
  });
}

/**
 * Reads a grader: `exact`, `contains`, `contains:TEXT`, `regex:PATTERN`, `json_schema:SCHEMA`, `tool_call`, `degenerate`, `length:1..20`,
 * `judge:DEPLOYMENT:RUBRIC` or `people`.
 * @throws UsageError
 */
export function readGrader(text: string): Grader {
  const [, kind = '', value] = /^([a-z_]+)(?::([^]*))?$/.exec(text) ?? [];
  const parsed = Grader.safeParse({ kind, ...settingsOf(kind, value) });
  if (parsed.success) return parsed.data;
  throw new UsageError(
    `"${text}" is no grader: write exact, contains[:TEXT], regex:PATTERN, json_schema:SCHEMA, tool_call, degenerate, length:LEAST..MOST, judge:DEPLOYMENT:RUBRIC or people.`,
  );
}

const SETTINGS: Readonly<Record<string, (value: string) => object>> = {
  contains: (text) => ({ text }),
  regex: (pattern) => ({ pattern }),
  json_schema: (text) => ({ schema: jsonOf(text) }),
  length: (value) => {
    const [, min = '', max = ''] = /^(\d*)\.\.(\d*)$/.exec(value) ?? [];
    return { ...(min !== '' && { min: Number(min) }), ...(max !== '' && { max: Number(max) }) };
  },
  judge: (value) => {
    const [, deployment = '', rubric = ''] = /^(?:deployment-)?(\d+):([^]+)$/.exec(value) ?? [];
    return { deployment: Number(deployment), rubric };
  },
};

function settingsOf(kind: string, value: string | undefined): object {
  if (value === undefined) return {};
  return SETTINGS[kind]?.(value) ?? { value };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
