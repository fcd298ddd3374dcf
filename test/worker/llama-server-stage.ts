import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AssignmentItem } from '@slipway/contracts';
import { anItem } from './an-item.js';
import type { Agent, WorkerRig } from './rig.js';

export const FAKE_LLAMA_SERVER = fileURLToPath(new URL('../engines/fake-llama-server.mjs', import.meta.url));

/** What the fake wrote down of its newest start. */
export interface LlamaServer {
  readonly pid: number;
  readonly ppid: number;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

export const serverOf = (rig: WorkerRig, dep: number): LlamaServer => {
  const file = join(rig.folder, `${dep}.json`);
  return JSON.parse(existsSync(file) ? readFileSync(file, 'utf8') : '{}') as LlamaServer;
};

/** A deployment that a fake llama-server with this fault serves. */
export function llamaServerItem(
  rig: WorkerRig,
  dep: number,
  fault: string | null = null,
  options?: Record<string, string>,
): AssignmentItem {
  const path = join(rig.folder, `${dep}.gguf`);
  writeFileSync(path, JSON.stringify({ fault, notes: join(rig.folder, `${dep}.json`) }));
  return anItem(dep, { source: { kind: 'file', path, engine: { kind: 'llama-server', ...(options && { options }) } }, context: 512 });
}

export async function servingLlamaServer(rig: WorkerRig, items: AssignmentItem[], settings: NodeJS.ProcessEnv = {}): Promise<Agent> {
  const agent = await rig.startAgent({ LLAMA_SERVER: FAKE_LLAMA_SERVER, ...settings });
  rig.assign(agent, items);
  for (const { dep } of items) await rig.ready(agent, dep);
  return agent;
}
