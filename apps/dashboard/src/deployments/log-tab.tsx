import type { ConsoleReply } from '@slipway/contracts';
import { type JSX, useEffect, useRef, useState } from 'react';
import { useCall } from '../api/use-call.js';
import { CopyButton } from '../ui/copy-button.js';
import { SelectField, TextField } from '../ui/field.js';
import { Loaded } from '../ui/loaded.js';
import { Notice } from '../ui/notice.js';
import { Empty } from '../ui/page.js';
import { Switch } from '../ui/toggles.js';

type Log = ConsoleReply<'deployments/log'>;

const LENGTHS = ['200', '1000', '2000'].map((value) => ({ value, label: `Newest ${value} lines` }));
const FOLLOW_MS = 2_000;

const lineText = ({ at, host, rev, text }: Log['lines'][number]): string => `${new Date(at).toISOString()} ${host} r${rev} ${text}`;

/** What the engine wrote. It holds no prompts and no answers. */
export function LogTab({ id }: { readonly id: number }): JSX.Element {
  const [lines, setLines] = useState('200');
  const [follow, setFollow] = useState(true);
  const [filter, setFilter] = useState('');
  const log = useCall(
    'deployments/log',
    { deployment: id, lines: Number(lines) },
    { every: () => (follow ? FOLLOW_MS : false), keep: true },
  );
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <div className="grid items-end gap-3 sm:grid-cols-[12rem_minmax(0,1fr)_auto]">
        <SelectField label="Show" choices={LENGTHS} value={lines} onChange={(event) => setLines(event.target.value)} />
        <TextField label="Only lines that contain" type="search" value={filter} onChange={(event) => setFilter(event.target.value)} />
        <Switch label="Follow" checked={follow} onChange={setFollow} />
      </div>
      <Loaded query={log} what="Engine log" rows={8}>
        {(data) => <Lines log={data} filter={filter} follow={follow} />}
      </Loaded>
    </div>
  );
}

function Lines({ log, filter, follow }: { readonly log: Log; readonly filter: string; readonly follow: boolean }): JSX.Element {
  const box = useRef<HTMLPreElement>(null);
  const shown = log.lines.map(lineText).filter((line) => line.toLowerCase().includes(filter.trim().toLowerCase()));
  const text = shown.join('\n');
  useEffect(() => {
    if (follow && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [text, follow]);
  return (
    <>
      {log.silent.length > 0 && <Notice look="warn">No answer from {log.silent.join(', ')}: lines of these hosts are missing.</Notice>}
      {shown.length === 0 ? (
        <Empty title={log.lines.length === 0 ? 'No lines' : 'No line contains that'}>
          {log.lines.length === 0
            ? 'Workers keep the log of what runs on them; nothing does, or it has written nothing.'
            : 'Change the filter, or show more lines.'}
        </Empty>
      ) : (
        <div className="grid grid-cols-[minmax(0,1fr)] gap-2">
          <pre
            ref={box}
            role="region"
            aria-label="Engine log"
            tabIndex={0}
            className="max-h-[32rem] overflow-auto rounded-lg border border-line bg-sunken p-3 font-mono text-[0.8125rem] leading-relaxed"
          >
            {text}
          </pre>
          <div>
            <CopyButton text={text} label="Copy these lines" />
          </div>
        </div>
      )}
    </>
  );
}
