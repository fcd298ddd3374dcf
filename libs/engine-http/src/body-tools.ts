import type { CanonicalRequest, Tool } from '@slipway/contracts';
import type { UpstreamFlavour } from './flavour.js';

type Fields = Record<string, unknown>;

const NO_ARGUMENTS = { type: 'object', properties: {} };

const toolField = ({ name, description, parameters, strict }: Tool): Fields => ({
  type: 'function',
  function: {
    name,
    ...(description !== undefined && { description }),
    parameters: parameters ?? NO_ARGUMENTS,
    ...(strict !== undefined && { strict }),
  },
});

/** The tools that a request offers and how they may be chosen, in the words that a server understands. */
export function toolFields(request: CanonicalRequest, flavour: UpstreamFlavour): Fields {
  const { tools, tool_choice: choice = 'auto', parallel_tool_calls: parallel = true } = request;
  if (tools === undefined) return {};
  // It reads no tool_choice; without tools there is nothing to call.
  if (flavour === 'ollama') return choice === 'none' ? {} : { tools: tools.map(toolField) };
  // Stated always: its default differs between servers.
  const shared = { parallel_tool_calls: parallel };
  if (typeof choice === 'string') return { ...shared, tools: tools.map(toolField), tool_choice: choice };
  // It takes a named choice for `auto`: with that tool alone on offer, `required` means the same.
  if (flavour === 'llama-server') {
    return { ...shared, tools: tools.filter(({ name }) => name === choice.name).map(toolField), tool_choice: 'required' };
  }
  return { ...shared, tools: tools.map(toolField), tool_choice: { type: 'function', function: { name: choice.name } } };
}
