import { type ClientPackages } from './client-packages.js';
import { ClientProcess } from './client-process.js';

/** A client, and what it can do. */
export interface ClientKind {
  readonly contract: 'chat' | 'messages';
  /** Who made it; errors and endings look alike within a family. */
  readonly family: 'openai' | 'anthropic' | 'langchain' | 'ai';
  readonly program: string;
  /** Name of the package that it is. */
  readonly flavour: string;
  /** Tries that it makes by default at a status that allows another one. */
  readonly tries: number;
}

const CHAT_SDK = { contract: 'chat', family: 'openai', program: 'openai', tries: 3 } as const;
const MESSAGES_SDK = { contract: 'messages', family: 'anthropic', program: 'anthropic', tries: 3 } as const;
const LANGCHAIN = { family: 'langchain', program: 'langchain', tries: 7 } as const;
const AI_SDK = { family: 'ai', program: 'ai-sdk', tries: 3 } as const;

/** The SDKs that the repository uses itself. */
export const OWN_CLIENTS: readonly ClientKind[] = [
  { ...CHAT_SDK, flavour: 'openai' },
  { ...MESSAGES_SDK, flavour: '@anthropic-ai/sdk' },
];

/** All clients of `test/clients/packages` that are libraries. */
export const ALL_CLIENTS: readonly ClientKind[] = [
  { ...CHAT_SDK, flavour: 'openai-7' },
  { ...CHAT_SDK, flavour: 'openai-6' },
  { ...MESSAGES_SDK, flavour: 'anthropic-1' },
  { ...MESSAGES_SDK, flavour: 'anthropic-0' },
  { ...LANGCHAIN, contract: 'chat', flavour: '@langchain/openai' },
  { ...LANGCHAIN, contract: 'messages', flavour: '@langchain/anthropic' },
  { ...AI_SDK, contract: 'chat', flavour: '@ai-sdk/openai-compatible' },
  { ...AI_SDK, contract: 'chat', flavour: '@ai-sdk/openai' },
  { ...AI_SDK, contract: 'messages', flavour: '@ai-sdk/anthropic' },
  { ...AI_SDK, contract: 'chat', flavour: 'ai-6-openai-compatible' },
  { ...AI_SDK, contract: 'chat', flavour: 'ai-6-openai' },
  { ...AI_SDK, contract: 'messages', flavour: 'ai-6-anthropic' },
];

const SDK_ACTS = [
  'plain',
  'stream',
  'thoughtful',
  'helper',
  'tool',
  'streamTool',
  'helperTool',
  'runner',
  'streamRunner',
  'schema',
  'models',
];

/** What the clients of a family can do. */
export const ACTS: Readonly<Record<ClientKind['family'], readonly string[]>> = {
  openai: SDK_ACTS,
  anthropic: [...SDK_ACTS, 'count'],
  langchain: ['plain', 'stream', 'thoughtful', 'tool', 'streamTool', 'runner', 'schema'],
  ai: ['plain', 'stream', 'thoughtful', 'tool', 'streamTool', 'runner', 'streamRunner', 'schema'],
};

/** The running processes of some clients. */
export class ClientTroupe {
  private constructor(private readonly processes: ReadonlyMap<string, ClientProcess>) {}

  static async start(packages: ClientPackages, kinds: readonly ClientKind[]): Promise<ClientTroupe> {
    const processes = new Map<string, ClientProcess>();
    // One after the other: their imports are what costs.
    for (const { program, flavour } of kinds) processes.set(flavour, await ClientProcess.start(packages, program, flavour));
    return new ClientTroupe(processes);
  }

  of({ flavour }: ClientKind): ClientProcess {
    const found = this.processes.get(flavour);
    if (!found) throw new Error(`${flavour} was not started.`);
    return found;
  }

  async end(): Promise<void> {
    await Promise.all([...this.processes.values()].map((client) => client.end()));
  }
}
