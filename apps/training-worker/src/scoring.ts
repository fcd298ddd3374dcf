/** llama.cpp, as it serves: the only place of this app that knows it. Loaded by the processes of jobs, never by the agent. */
export { LlamaScorer, readModelFacts } from '@slipway/engine-llama';
export type { AdapterScorer, GreedyAnswer, ModelFacts, ModelTexts } from '@slipway/engine-llama';
