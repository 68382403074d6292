import { ConfigError } from '../../process/config/config.ts';
import { textAt } from '../upstream/json.ts';

export interface ComfyuiGraph {
  /** In ComfyUI's API format: the nodes by id, with placeholders among their inputs. */
  nodes: unknown;
  /** The node whose image is the result. */
  output: string;
}

/**
 * Reads the graph of COMFYUI_GRAPH. An empty `outputNode` stands for the first SaveImage node.
 * @throws ConfigError when no job could be rendered with it: the server's own response would look
 * like an outage
 */
export function parseGraph(text: string, outputNode: string): ComfyuiGraph {
  const nodes = nodesIn(text);
  const ids = Object.keys(nodes);
  if (ids.length === 0 || Array.isArray(nodes) || ids.some((id) => typeOf(nodes, id) === undefined))
    throw new ConfigError(
      'COMFYUI_GRAPH is not in the API format of ComfyUI: export it with "Export (API)".',
    );
  if (!text.includes('{{image}}'))
    throw new ConfigError('COMFYUI_GRAPH has no {{image}}: every job would get the image of the export.');
  const output = outputNode || ids.find((id) => typeOf(nodes, id) === 'SaveImage');
  if (output === undefined)
    throw new ConfigError(
      'COMFYUI_GRAPH has no SaveImage node: name the node of the result in COMFYUI_OUTPUT_NODE.',
    );
  if (!ids.includes(output))
    throw new ConfigError(`COMFYUI_OUTPUT_NODE names the node ${output}, which COMFYUI_GRAPH does not have.`);
  return { nodes, output };
}

function nodesIn(text: string): object {
  try {
    return Object(JSON.parse(text));
  } catch (cause) {
    throw new ConfigError('COMFYUI_GRAPH is no JSON.', { cause });
  }
}

const typeOf = (nodes: object, id: string) => textAt(Reflect.get(nodes, id), 'class_type');
