import { join } from 'node:path';

/** A graph in ComfyUI's API format that scales its input and needs no model. */
export const GRAPH_FILE = join(import.meta.dirname, 'fixtures', 'scale.graph.json');
