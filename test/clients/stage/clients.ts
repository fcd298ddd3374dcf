import { type ClientPackages } from './client-packages.js';
import { ClientProcess } from './client-process.js';

/** A client, and what it can do. */
export interface ClientKind {
  readonly contract: 'chat' | 'messages' | 'responses';
  /** Who made it; errors and endings look alike within a family. */
  readonly family: 'openai' | 'anthropic' | 'langchain' | 'ai' | 'pydantic-ai' | 'litellm';
  /** File below `programs`. */
  readonly program: string;
  /** Name of the package that it is. */
  readonly flavour: string;
  /** Tries that it makes by default at a status that allows another one. */
  readonly tries: number;
}

const CHAT_SDK = { contract: 'chat', family: 'openai', program: 'openai.mjs', tries: 3 } as const;
const RESPONSES_SDK = { contract: 'responses', family: 'openai', program: 'openai-responses.mjs', tries: 3 } as const;
const MESSAGES_SDK = { contract: 'messages', family: 'anthropic', program: 'anthropic.mjs', tries: 3 } as const;
const LANGCHAIN = { family: 'langchain', program: 'langchain.mjs', tries: 7 } as const;
const AI_SDK = { family: 'ai', program: 'ai-sdk.mjs', tries: 3 } as const;

/** The SDKs that the repository uses itself. */
export const OWN_CLIENTS: readonly ClientKind[] = [
  { ...CHAT_SDK, flavour: 'openai' },
  { ...RESPONSES_SDK, flavour: 'openai' },
  { ...MESSAGES_SDK, flavour: '@anthropic-ai/sdk' },
];

/** Clients of `test/clients/packages` that are libraries and speak chat completions or messages. */
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

/** Those that speak responses. */
export const RESPONSES_CLIENTS: readonly ClientKind[] = [
  { ...RESPONSES_SDK, flavour: 'openai-7' },
  { ...RESPONSES_SDK, flavour: 'openai-6' },
  { ...RESPONSES_SDK, program: 'agents.mjs', flavour: '@openai/agents' },
  { ...LANGCHAIN, contract: 'responses', flavour: '@langchain/openai' },
  { ...AI_SDK, contract: 'responses', flavour: '@ai-sdk/openai' },
  { ...AI_SDK, contract: 'responses', flavour: 'ai-6-openai' },
];

/** Those of Python, which are at PyPI. */
export const PYTHON_CLIENTS: readonly ClientKind[] = [
  { ...RESPONSES_SDK, program: 'sdk_openai.py', flavour: 'openai (Python)' },
  { ...RESPONSES_SDK, program: 'sdk_agents.py', flavour: 'openai-agents' },
  { ...RESPONSES_SDK, family: 'langchain', program: 'sdk_langchain.py', flavour: 'langchain-openai' },
  { ...RESPONSES_SDK, family: 'pydantic-ai', program: 'sdk_pydantic_ai.py', flavour: 'pydantic-ai' },
  { ...RESPONSES_SDK, family: 'litellm', program: 'sdk_litellm.py', flavour: 'litellm', tries: 1 },
];

const STREAM_ACTS = ['plain', 'stream', 'thoughtful', 'leave'];
const TOOL_ACTS = ['tool', 'streamTool', 'runner', 'schema'];
const SDK_ACTS = [...STREAM_ACTS, ...TOOL_ACTS, 'helper', 'helperTool', 'streamRunner', 'models'];
const AGENT_ACTS = [...STREAM_ACTS, 'runner', 'streamRunner', 'schema'];

/** What each program can make its client do. */
const ACTS: Readonly<Record<string, readonly string[]>> = {
  'openai.mjs': SDK_ACTS,
  'openai-responses.mjs': SDK_ACTS,
  'anthropic.mjs': [...SDK_ACTS, 'count'],
  'langchain.mjs': [...STREAM_ACTS, ...TOOL_ACTS],
  'ai-sdk.mjs': [...STREAM_ACTS, ...TOOL_ACTS, 'streamRunner', 'conversation'],
  'agents.mjs': AGENT_ACTS,
  'sdk_openai.py': [...STREAM_ACTS, ...TOOL_ACTS, 'helper', 'helperTool', 'models'],
  'sdk_agents.py': AGENT_ACTS,
  'sdk_langchain.py': [...STREAM_ACTS, ...TOOL_ACTS],
  'sdk_pydantic_ai.py': AGENT_ACTS,
  'sdk_litellm.py': ['plain', 'fakedStream', 'tool', 'runner', 'schema'],
};

/** What a client can do, of `names` if given. */
export function actsOf({ program }: ClientKind, names?: readonly string[]): readonly string[] {
  const acts = ACTS[program] ?? [];
  return names ? names.filter((name) => acts.includes(name)) : acts;
}

/** Names a client in titles of tests: one package may speak two contracts. */
export const titleOf = ({ flavour, contract }: ClientKind): string => `${flavour}, ${contract}`;

/** The running processes of some clients. */
export class ClientTroupe {
  private constructor(private readonly processes: ReadonlyMap<string, ClientProcess>) {}

  static async start(packages: ClientPackages, kinds: readonly ClientKind[]): Promise<ClientTroupe> {
    const processes = new Map<string, ClientProcess>();
    // One after the other: their imports are what costs.
    for (const kind of kinds) processes.set(titleOf(kind), await ClientProcess.start(packages, kind));
    return new ClientTroupe(processes);
  }

  of(kind: ClientKind): ClientProcess {
    const found = this.processes.get(titleOf(kind));
    if (!found) throw new Error(`${titleOf(kind)} was not started.`);
    return found;
  }

  async end(): Promise<void> {
    await Promise.all([...this.processes.values()].map((client) => client.end()));
  }
}
