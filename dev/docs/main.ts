import { writeFileSync } from 'node:fs';
import { errorsMarkdown } from './errors.ts';

// `npm run docs`: writes the documents that are generated from source.

writeFileSync('docs/errors.md', errorsMarkdown());
