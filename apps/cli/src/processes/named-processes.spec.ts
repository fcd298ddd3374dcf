import { ReadProcess, type RunningProcess, SetLogLevel, ServiceError } from '@slipway/contracts';
import { type GatheredReport, UnansweredError } from '@slipway/platform';
import { expect, it } from 'vitest';
import { CliError } from '../cli-errors.js';
import type { Session } from '../session/session.js';
import { settingsText } from './config-command.js';
import { askProcesses } from './named-processes.js';

const report = (role: string, wk: string): GatheredReport =>
  ({ role, wk, host: `host-${wk}`, release: '0.3.0', protocol: '1.0', level: 0, not_ready: null }) as GatheredReport;

/** A session with these processes, of which each answers as `answer` says. */
function session(reports: readonly GatheredReport[], answer: (subject: string, wk: string) => object): Session {
  const call = ({ subject }: { subject: string }, _: object, { wk = '' }: Readonly<Record<string, string>> = {}): Promise<object> =>
    Promise.resolve().then(() => answer(subject, wk));
  return { processes: () => Promise.resolve({ reports, lowest: () => null }), call } as unknown as Session;
}

const LOG = { level: 'debug', configured: 'info', until: null };
const ACTOR = { kind: 'ops' } as const;

it('a worker with a name of its own is asked as a worker', async () => {
  const asked: string[] = [];
  const fleet = session([report('agent', 'w1'), report('worker', 'w2'), report('keys', 'k1')], (subject, wk) => {
    asked.push(`${subject} ${wk}`);
    return LOG;
  });
  const { answered } = await askProcesses(fleet, 'inference-worker', SetLogLevel, { level: 'debug', actor: ACTOR });
  expect(answered.map(({ of }) => of.wk)).toEqual(['w1', 'w2']);
  expect(asked).toEqual(['w1', 'w2'].map((wk) => `sys.{env}.v1.worker.{wk}.rpc.set-log-level ${wk}`));
});

it('a process that does not answer is named, and costs no other answer', async () => {
  const fleet = session([report('gateway', 'g1'), report('gateway', 'g2'), report('gateway', 'g3')], (_, wk) => {
    const gone = new UnansweredError('absent', 'sys', undefined);
    if (wk === 'g1') throw new CliError('unavailable', 'gateway is not running.', {}, { cause: gone });
    if (wk === 'g2') throw new ServiceError('internal', 'The service failed.');
    return LOG;
  });
  const { answered, silent } = await askProcesses(fleet, 'gateway', SetLogLevel, { level: null, actor: ACTOR });
  expect(answered.map(({ of }) => of.wk)).toEqual(['g3']);
  expect(silent).toEqual([
    'gateway g1 at host-g1 (release 0.3.0) does not answer: it has ended, or it or its nats.conf is of an older release.',
    'gateway g2 at host-g2: The service failed.',
  ]);
  await expect(askProcesses(fleet, 'g1', ReadProcess, {})).rejects.toMatchObject({ code: 'process_silent' });
});

it('settings are shown once unless they differ', () => {
  const running = (wk: string, own: RunningProcess['settings']): RunningProcess =>
    ({
      ...{ service: 'gateway', wk, host: 'h', pid: 7, release: '0.3.0', started_at: '2026-11-26T10:00:00.000Z', log: LOG },
      settings: [{ name: 'PORT', value: '8080', source: 'default' }, ...own],
    }) as RunningProcess;
  const one = running('g1', [{ name: 'ZONE', value: 'a', source: 'set' }]);
  const other = running('g2', []);
  expect(settingsText([one, one])).not.toContain('Not the same');
  expect(settingsText([one, other]).split('\n').slice(4)).toEqual([
    'SETTING  VALUE  FROM',
    'PORT     8080   default',
    '',
    'Not the same in all of them:',
    '',
    'SETTING  NAME  VALUE  FROM',
    'ZONE     g1    a      set',
    'ZONE     g2    -      -',
  ]);
});
