import { readFileSync } from 'node:fs';
import { chmod, chown, copyFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { anItem } from '../an-item.js';
import { OwnNameStage } from '../own-name-stage.js';
import { MODEL } from '../rig.js';
import { until } from '../until.js';

const stage = OwnNameStage.around();

describe('a worker with credentials to join only', () => {
  describe.runIf(process.getuid?.() === 0)('where only one user may read a model', () => {
    const aModel = async (name: string, owner: number): Promise<string> => {
      const path = join(stage.rig.folder, name);
      await chmod(stage.rig.folder, 0o711);
      await copyFile(MODEL, path);
      await chmod(path, 0o600);
      await chown(path, owner, owner);
      return path;
    };

    it('runs it as that user rather than as root', async () => {
      const path = await aModel('private.gguf', 1_234);
      stage.rig.assign(stage.agent, [anItem(2, { source: { kind: 'file', path } })]);
      const { pid } = await stage.rig.ready(stage.agent, 2);
      expect(/^Uid:\s+(.*)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]?.split('\t')).toEqual(Array(4).fill('1234'));
    });

    it('runs it as a user without name and home', async () => {
      const path = await aModel('nameless.gguf', 1_235);
      const homeless = await stage.rig.startAgent({ HOME: undefined });
      stage.rig.assign(homeless, [anItem(4, { source: { kind: 'file', path } })]);
      const { pid } = await stage.rig.ready(homeless, 4);
      expect(readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')).toContain(`HOME=${tmpdir()}`);
    });

    it('refuses root’s models where the operator named a user', async () => {
      const path = await aModel('of-root.gguf', 0);
      const strict = await stage.rig.startAgent({ RUNNER_UID: '65533' });
      stage.rig.assign(strict, [anItem(3, { source: { kind: 'file', path } })]);
      await until('it is refused', () =>
        stage.rig.beats.some(
          ({ wk, loads }) => wk === strict.wk && loads.some(({ dep, reason }) => dep === 3 && reason === 'model_missing'),
        ),
      );
    });
  });

  it('replaces dead runners while keys-service is away', async () => {
    stage.rig.assign(stage.agent, [anItem(1)]);
    const { pid } = await stage.rig.ready(stage.agent, 1);
    await stage.keys.stop();
    const before = stage.rig.runnersOf(1).map(({ wk }) => wk);
    process.kill(pid!, 'SIGKILL');
    await until('another runner is ready', () => stage.rig.runnersOf(1).some(({ wk, state }) => state === 'ready' && !before.includes(wk)));
    const { text } = await stage.rig.ask(1, 'Hello again', { maxTokens: 8 }).done;
    expect(text).not.toBe('');
  });
});
