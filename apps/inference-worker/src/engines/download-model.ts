export { downloadModel } from './llama/model-downloader.js';
