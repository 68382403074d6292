import { endOrphans } from './data-folder.ts';

// Started by the guard when a process has ended: stops the children it left on the given data folder.
await endOrphans(process.argv[2] ?? '');
