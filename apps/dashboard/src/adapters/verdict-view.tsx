import type { GateCheck, Verdict } from '@slipway/contracts';
import type { JSX } from 'react';
import { plural } from '../format/number.js';
import { Status } from '../ui/status.js';
import { checkFigure, checkName, checkWords } from './adapter-words.js';

/** Each check of a verdict with its figures and its reason. */
export function VerdictView({ verdict, isImported }: { readonly verdict: Verdict | null; readonly isImported: boolean }): JSX.Element {
  if (verdict === null)
    return (
      <p className="text-muted">
        {isImported ? 'The adapter was imported, so nothing is known of what it learned.' : 'The adapter is not judged yet.'}
      </p>
    );
  return (
    <ul aria-label="Checks" className="grid grid-cols-[minmax(0,1fr)] gap-3">
      {verdict.checks.map((check, at) => (
        <Check key={`${check.check} ${at}`} check={check} />
      ))}
    </ul>
  );
}

function Check({ check }: { readonly check: GateCheck }): JSX.Element {
  const { check: name, base, adapter, bound, examples, detail } = check;
  const figures = [
    ['Base', base],
    ['Adapter', adapter],
    ['Bound', bound],
  ] as const;
  return (
    <li className="grid grid-cols-[minmax(0,1fr)] gap-1 border-line not-last:border-b not-last:pb-3">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h3 className="text-sm font-medium">{checkName(name)}</h3>
        <Status {...checkWords(check)} />
      </div>
      <p className="text-sm">{detail}</p>
      <p className="flex flex-wrap gap-x-4 text-xs text-muted tabular-nums">
        {figures.map(([label, value]) => value !== null && <span key={label}>{`${label} ${checkFigure(name, value)}`}</span>)}
        {examples > 0 && <span>{plural(examples, 'example')}</span>}
      </p>
    </li>
  );
}
