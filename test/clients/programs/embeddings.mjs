// Has one client make embeddings of two texts, as its documentation shows it, and prints the vectors as JSON.
// `node --experimental-import-meta-resolve embeddings.mjs <folder of node_modules> <client> <base URL> <model>`, with the key in API_KEY
import { flavour, load } from './client-program.mjs';

const [, , , , baseURL, model] = process.argv;
const apiKey = process.env.API_KEY;
const TEXTS = ['text 4', 'text 9'];

/** @param options what the call is given beside model and texts. */
const bySdk = async (options = {}) => {
  const { default: OpenAI } = await load(flavour);
  const client = new OpenAI({ baseURL, apiKey, maxRetries: 0 });
  const { data } = await client.embeddings.create({ model, input: TEXTS, ...options });
  return data.map(({ embedding }) => embedding);
};

const byAi = (ai, provider) => async () => {
  const { embedMany } = await load(ai);
  const { createOpenAI } = await load(provider);
  const { embeddings } = await embedMany({
    model: createOpenAI({ baseURL, apiKey }).textEmbeddingModel(model),
    values: TEXTS,
    maxRetries: 0,
  });
  return embeddings;
};

const byLangchain = async () => {
  const { OpenAIEmbeddings } = await load('@langchain/openai');
  const embeddings = new OpenAIEmbeddings({ model, apiKey, maxRetries: 0, configuration: { baseURL } });
  return embeddings.embedDocuments(TEXTS);
};

const CLIENTS = {
  'openai-6': bySdk,
  'openai-7': bySdk,
  ai: byAi('ai', '@ai-sdk/openai'),
  'ai-6': byAi('ai-6', 'ai-6-openai'),
  langchain: byLangchain,
};

process.stdout.write(JSON.stringify(await CLIENTS[flavour]()));
