import { endOrphans } from './data-folder.ts';

// The guard of a data folder starts this when its process has ended. It stops the children of that
// process.
await endOrphans(process.argv[2] ?? '');
