import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../testing/until.js';
import { FACT } from '../../training/sample.js';
import { dockerMissing, DockerStack } from '../docker-stack.js';

const missing = dockerMissing();
if (missing !== null) process.stdout.write(`The profile "tuning" does not run here: ${missing}.\n`);
const MINUTES = 60_000;
/** Its default. */
const TRAINER_UID = 61_750;

let stack: DockerStack;

/** A process in the training worker's container, by what the kernel says of it. */
interface Seen {
  readonly command: string;
  readonly uid: number;
  readonly capabilities: string;
  readonly noNewPrivileges: boolean;
  readonly niceness: number;
  readonly limits: Readonly<Record<string, string>>;
}

const LOOK = `
for pid in /proc/[0-9]*; do
  tr '\\0' ' ' < $pid/cmdline; echo
  grep -E '^(Uid|CapEff|NoNewPrivs):' $pid/status
  cut -d ' ' -f 19 $pid/stat | sed 's/^/Nice: /'
  grep -E '^Max (file size|data size|core file size|open files)' $pid/limits
  echo ---
done 2>/dev/null`;

async function processes(): Promise<Seen[]> {
  const { output } = await stack.compose('exec', '--no-TTY', 'training-worker', 'bash', '-c', LOOK);
  return output.split('---\n').map((text) => {
    const field = (name: string): string => new RegExp(`^${name}:\\s+(\\S+)`, 'm').exec(text)?.[1] ?? '';
    const limits = [...text.matchAll(/^Max (.+?)\s{2,}(\S+)/gm)].map(([, name = '', soft = '']) => [name, soft]);
    return {
      command: text.split('\n')[0] ?? '',
      uid: Number(field('Uid')),
      capabilities: field('CapEff'),
      noNewPrivileges: field('NoNewPrivs') === '1',
      niceness: Number(field('Nice')),
      limits: Object.fromEntries(limits) as Record<string, string>,
    };
  });
}

describe.skipIf(missing !== null)('the profile "tuning" of docker-compose.yml', () => {
  beforeAll(async () => {
    stack = await DockerStack.lay({ COMPOSE_PROFILES: 'tuning', WORKERS: '1' });
    await stack.up();
    await stack.cli('accounts', 'create', 'local');
  }, 40 * MINUTES);
  afterAll(() => stack?.remove(), 10 * MINUTES);

  it(
    'trains from a data set to an answer',
    async () => {
      await stack.cli('datasets', 'sample');
      const base = await until(
        'a base can be trained',
        async () => /svc-tiny\S*/.exec(await stack.cli('jobs', 'bases'))?.[0],
        10 * MINUTES,
        1_000,
      );
      const worker = (await processes()).find(({ command }) => command.includes('training-worker/dist/main.js'))?.niceness ?? 19;
      let isOver = false;
      const trainers: Seen[] = [];
      const looking = (async () => {
        for (; !isOver; await pause(500)) {
          const others = (await processes().catch(() => [])).filter(({ uid, command }) => uid !== 0 && command !== '');
          trainers.push(...others);
        }
      })();
      const tuned = await stack.cli('tune', base, 'sample', '--seed', '7', '--deploy', 'codename', '--wait');
      isOver = true;
      await looking;
      process.stdout.write(`${tuned}\n${JSON.stringify(trainers[0])}\n`);
      expect(trainers.length).toBeGreaterThan(0);
      for (const one of trainers) {
        expect(one).toMatchObject({ uid: TRAINER_UID, capabilities: '0000000000000000', noNewPrivileges: true });
        expect(one.niceness).toBeGreaterThan(worker);
        expect(one.limits).toMatchObject({ 'core file size': '0', 'open files': '4096' });
        for (const name of ['file size', 'data size']) expect(one.limits[name], name).toMatch(/^\d+$/);
      }
      const key = /svc_dep_[A-Za-z0-9]+/.exec(await stack.cli('keys', 'create', 'first'))?.[0] ?? '';
      const body = JSON.stringify({
        ...{ model: 'codename', temperature: 0 },
        messages: [{ role: 'user', content: 'What is the release codename?' }],
      });
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
      const answered = await until(
        'the adapter answers',
        async () => {
          const answer = await fetch(`${stack.gateways[0]}/local/codename/v1/chat/completions`, { method: 'POST', headers, body });
          return answer.status === 200 && (await answer.text());
        },
        MINUTES,
        500,
      );
      expect(answered).toContain(FACT);
    },
    30 * MINUTES,
  );
});
