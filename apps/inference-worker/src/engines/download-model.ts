export { type ModelDownload, openDownload } from './llama/model-downloader.js';
