import { Popover } from '@base-ui/react/popover';
import type { ConsoleStatus } from '@slipway/contracts';
import { useQuery } from '@tanstack/react-query';
import type { JSX } from 'react';
import { session } from '../session/session.js';

/** How often the parts of the system are asked for, in milliseconds. */
const EVERY_MS = 30_000;

const PARTS = [
  ['gateways', 'Inference API'],
  ['deployments', 'Deployments'],
  ['keys', 'Keys, usage and sign-in'],
  ['nats', 'Messaging (NATS)'],
] as const satisfies readonly (readonly [keyof ConsoleStatus, string])[];

interface Standing {
  readonly words: string;
  readonly look: string;
}

function wholeOf(status: ConsoleStatus | undefined, isError: boolean): Standing {
  if (status === undefined) return { words: isError ? 'Status unknown' : 'Checking…', look: 'bg-edge' };
  const isReady = !isError && PARTS.every(([part]) => status[part]);
  return isReady ? { words: 'All systems ready', look: 'bg-good' } : { words: 'Some systems are down', look: 'bg-bad' };
}

function partOf(isReady: boolean | undefined): Standing {
  if (isReady === undefined) return { words: 'Unknown', look: 'bg-edge' };
  return isReady ? { words: 'Ready', look: 'bg-good' } : { words: 'No answer', look: 'bg-bad' };
}

/** One dot for the whole installation; its parts on a click. */
export function StatusDot({ collapsed }: { readonly collapsed: boolean }): JSX.Element {
  const { data, isError } = useQuery({
    queryKey: ['status'],
    queryFn: () => session.ask<ConsoleStatus>('/api/status', { method: 'GET' }),
    refetchInterval: EVERY_MS,
  });
  const { words, look } = wholeOf(data, isError);
  return (
    <Popover.Root>
      <Popover.Trigger aria-label={`Status: ${words}`} className="nav-item w-full text-left">
        <span className="grid size-4 place-items-center">
          <span aria-hidden="true" className={`size-2 rounded-full ${look}`} />
        </span>
        {!collapsed && <span className="truncate">{words}</span>}
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner side="top" align="start" sideOffset={4} className="z-50">
          <Popover.Popup className="w-64 rounded-lg border border-line bg-surface p-3 shadow-overlay outline-none">
            <Popover.Title className="mb-2 font-semibold">{words}</Popover.Title>
            <ul className="grid gap-1.5">
              {PARTS.map(([part, label]) => (
                <Part key={part} label={label} standing={partOf(data?.[part])} />
              ))}
            </ul>
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}

function Part({ label, standing: { words, look } }: { readonly label: string; readonly standing: Standing }): JSX.Element {
  return (
    <li className="flex items-center gap-2">
      <span aria-hidden="true" className={`size-2 rounded-full ${look}`} />
      <span className="flex-1">{label}</span>
      <span className="text-muted">{words}</span>
    </li>
  );
}
