import { writeFileSync } from 'node:fs';
import { errorsMarkdown } from './errors.ts';
import { metricsMarkdown } from './metrics.ts';

// `npm run docs`: writes the documents that are generated from source.

writeFileSync('docs/errors.md', errorsMarkdown());
writeFileSync('docs/metrics.md', metricsMarkdown());
