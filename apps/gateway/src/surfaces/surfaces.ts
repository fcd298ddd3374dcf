import { chat } from './chat/surface.js';
import { embeddings } from './embeddings/surface.js';
import { messages } from './messages/surface.js';
import { SurfaceRegistry } from './registry.js';
import { responses } from './responses/surface.js';

/** All public contracts. A new one needs a folder and an entry here. */
export const SURFACES = new SurfaceRegistry([chat, messages, responses, embeddings]);
