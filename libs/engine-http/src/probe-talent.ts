import type { Capability } from '@slipway/contracts';
import { z } from 'zod';
import { FLAVOURS, type UpstreamFlavour } from './flavour.js';
import { FACTS_LIMIT, jsonOf, type UpstreamClient } from './upstream-client.js';

const Version = z.object({ version: z.string() });
const LlamaProps = z.object({ modalities: z.object({ vision: z.boolean() }) });
const SglangInfo = z.object({ has_image_understanding: z.boolean() });
const OllamaShow = z.object({ capabilities: z.array(z.string()) });

/** From this version on vLLM reads `structured_outputs`; before, it ignored them. */
const STRUCTURED_OUTPUTS_SINCE = [0, 11] as const;

type Ask = (path: string, body?: unknown) => Promise<unknown>;

async function vllmLacks(ask: Ask): Promise<Capability[]> {
  const version = /^v?(\d+)\.(\d+)/.exec(Version.safeParse(await ask('/../version')).data?.version ?? '');
  if (!version) return [];
  const [major, minor] = [Number(version[1]), Number(version[2])];
  const [wantedMajor, wantedMinor] = STRUCTURED_OUTPUTS_SINCE;
  const old = major < wantedMajor || (major === wantedMajor && minor < wantedMinor);
  return old ? ['regex', 'choice', 'grammar'] : [];
}

async function llamaServerLacks(ask: Ask): Promise<Capability[]> {
  const props = LlamaProps.safeParse(await ask('/../props')).data;
  return props?.modalities.vision === true ? [] : ['images'];
}

async function sglangLacks(ask: Ask): Promise<Capability[]> {
  const newer = SglangInfo.safeParse(await ask('/../model_info')).data;
  const info = newer ?? SglangInfo.safeParse(await ask('/../get_model_info')).data;
  return info?.has_image_understanding === false ? ['images'] : [];
}

async function ollamaLacks(ask: Ask, model: string): Promise<Capability[]> {
  const words = OllamaShow.safeParse(await ask('/../api/show', { model })).data?.capabilities;
  const lacks: Capability[] = [];
  if (words?.includes('vision') !== true) lacks.push('images');
  if (words?.includes('thinking') !== true) lacks.push('reasoning');
  // Versions that report no capabilities may still have models with tools.
  if (words?.includes('tools') === false) lacks.push('tools');
  return lacks;
}

const GREETING = 'Ollama is running';

/** Ollama names the maker of a model where others name themselves; what greets like it is it. */
export async function greetsAsOllama(client: UpstreamClient, signal: AbortSignal): Promise<boolean> {
  const { status, text } = await client.ask('/../', { signal, textBytes: GREETING.length });
  return text === GREETING && status === 200;
}

/**
 * What a server can do with this model: what its kind can, less what it says that it lacks. Questions that it does not
 * know are no failure.
 */
export async function probeTalent(
  client: UpstreamClient,
  { flavour, model }: { flavour: UpstreamFlavour; model: string },
  signal: AbortSignal,
): Promise<Capability[]> {
  const ask: Ask = async (path, body) => {
    try {
      const { status, text } = await client.ask(path, { signal, textBytes: FACTS_LIMIT, body });
      return status === 200 ? jsonOf(text) : null;
    } catch (error) {
      if (signal.aborted) throw error;
      return null;
    }
  };
  const lacks = await lackOf(flavour, ask, model);
  return FLAVOURS[flavour].caps.filter((cap) => !lacks.includes(cap));
}

function lackOf(flavour: UpstreamFlavour, ask: Ask, model: string): Promise<Capability[]> {
  if (flavour === 'vllm') return vllmLacks(ask);
  if (flavour === 'sglang') return sglangLacks(ask);
  if (flavour === 'llama-server') return llamaServerLacks(ask);
  return flavour === 'ollama' ? ollamaLacks(ask, model) : Promise.resolve([]);
}
